// The chat: questions go out, answers come in as they are said; what is typed is kept until it has arrived.
import { forget, keep } from "../drafts.js";
import { mentions } from "./mentions.js";

const talk = document.getElementById("talk");
const form = document.getElementById("ask");
const field = form.elements.question;
const turns = document.getElementById("turns");
const send = document.getElementById("send");
const stop = document.getElementById("stop");
const told = document.getElementById("told");
const conversation = talk.dataset.conversation;
const address = (path) => `/chat/${conversation}/${path}`;
const headers = () => ({ "hx-request": "true", ...JSON.parse(document.body.getAttribute("hx-headers") ?? "{}") });
let following = false;
let isGone = false;
let isRefused = false;

// --- the field ---------------------------------------------------------------------------------------------------------

const isChoosing = mentions(field, document.getElementById("mention-list"), document.getElementById("mentions"), told);
field.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing || isChoosing()) return;
  event.preventDefault();
  form.requestSubmit();
});
function emptied() {
  field.value = "";
  forget(form.dataset.keep);
}
function giveBack(question) {
  if (!field.value.trim()) field.value = question;
  field.dispatchEvent(new Event("input", { bubbles: true }));
}
if (!CSS.supports("field-sizing", "content"))
  field.addEventListener("input", () => {
    field.style.height = "auto";
    field.style.height = `${field.scrollHeight}px`;
  });
if (matchMedia("(hover: hover)").matches) field.focus({ preventScroll: true });
for (const prompt of document.querySelectorAll("[data-prompts]"))
  prompt.addEventListener("click", () => {
    field.value = prompt.textContent;
    field.focus();
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });

// --- scrolling: the end stays in view for who looks at it --------------------------------------------------------------

const page = document.scrollingElement;
const atEnd = () => page.scrollHeight - page.scrollTop - innerHeight < 120;
const toEnd = () => page.scrollTo({ top: page.scrollHeight });
if (turns.children.length && !location.hash) toEnd();

// --- refusals ----------------------------------------------------------------------------------------------------------

async function refused(response) {
  document.getElementById("toasts").insertAdjacentHTML("beforeend", await response.text()); // made and escaped by the server
  htmx.process(document.getElementById("toasts"));
}
function unsent() {
  const told = document.getElementById("unreachable").content.cloneNode(true);
  told.querySelector(".grow").textContent = talk.dataset.unsent;
  document.getElementById("toasts").append(told);
}
const forgetRefusals = () => document.querySelectorAll("#toasts .toast.bad").forEach((toast) => toast.remove());

// --- asking ------------------------------------------------------------------------------------------------------------

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const question = field.value;
  if (!question.trim() || following || isGone) return;
  const body = new FormData(form);
  if (conversation) await ask(body, question);
  else await begin(body);
});

async function begin(body) {
  forgetRefusals();
  busy(true);
  try {
    const response = await fetch("/chat/begin", { method: "POST", headers: headers(), body });
    if (!response.ok) return await refused(response);
    emptied();
    location.assign(response.headers.get("HX-Location"));
  } catch {
    unsent();
  } finally {
    busy(false);
  }
}

async function ask(body, question, replaced) {
  forgetRefusals();
  document.getElementById("beginning")?.remove();
  const turn = document.getElementById("coming").content.cloneNode(true).querySelector("article");
  turn.querySelector(".asked").textContent = question;
  if (replaced) replaced.hidden = true;
  turns.append(turn);
  emptied();
  toEnd();
  busy(true);
  let response;
  try {
    response = await fetch(address("ask"), { method: "POST", headers: headers(), body });
  } catch {
    undoAsking(turn, question, replaced);
    return unsent();
  }
  if (!response.ok) {
    undoAsking(turn, question, replaced);
    return await refused(response);
  }
  replaced?.remove();
  await take(response, turn);
}

function undoAsking(turn, question, replaced) {
  turn.remove();
  if (replaced) replaced.hidden = false;
  else giveBack(question);
  busy(false);
}

turns.addEventListener("click", (event) => {
  const again = event.target.closest("[data-again]");
  if (!again || following) return;
  const old = again.closest(".turn");
  const body = new FormData();
  body.set("again", again.dataset.again);
  const draft = field.value;
  ask(body, old.querySelector(".asked").textContent, again.dataset.replaces === undefined ? undefined : old);
  if (draft) giveBack(draft);
});

stop.addEventListener("click", async () => {
  stop.disabled = true;
  const response = await fetch(address("stop"), { method: "POST", headers: headers() }).catch(() => null);
  if (response?.ok) return;
  stop.disabled = false; // it can be tried again
  if (response) await refused(response);
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && following && !stop.hidden && !isChoosing() && !document.querySelector(":popover-open, dialog[open]")) stop.click();
});

function busy(is) {
  following = is;
  send.hidden = is && Boolean(conversation);
  send.disabled = is || isGone;
  stop.hidden = !send.hidden;
  stop.disabled = false;
  if (is) told.textContent = talk.dataset.coming;
}

// --- an answer as it comes ---------------------------------------------------------------------------------------------

async function* events(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n\n");
    rest = parts.pop();
    for (const part of parts) {
      const [, name, data] = /^event: (\w+)\ndata: (.*)$/s.exec(part) ?? [];
      if (name) yield [name, JSON.parse(data)];
    }
  }
}

async function take(response, turn) {
  busy(true);
  const text = turn.querySelector("[data-text]");
  const state = turn.querySelector("[data-state]");
  text.textContent = "";
  const said = text.appendChild(document.createTextNode(""));
  let isOver = false;
  try {
    for await (const [name, data] of events(response)) {
      const stays = atEnd();
      if (name === "text") {
        state.hidden = true;
        said.appendData(data);
      } else if (name === "state") {
        state.textContent = data;
        state.hidden = false;
      } else if (name === "badge") {
        const badge = turn.querySelector("[data-badge]");
        badge.lastElementChild.textContent = data;
        badge.hidden = false;
      } else if (name === "done") {
        isOver = true;
        told.textContent = put(turn, data).dataset.told ?? "";
      } else if (name === "gone") {
        isOver = true;
        turn.remove();
        told.textContent = "";
        await refresh();
      }
      if (stays) toEnd();
    }
  } catch {
    // cut off; the answer goes on without this window
  }
  busy(false);
  if (!isOver) await catchUp(turn);
  else followWhatGoes(); // another window may have asked already
}

function put(turn, html) {
  const holder = document.createElement("template");
  holder.innerHTML = html;
  const came = holder.content.querySelector("article");
  const known = document.getElementById(came.id);
  if (known && known !== turn) known.remove();
  turn.replaceWith(came);
  htmx.process(came);
  return came;
}

// --- after a loss, and for what other windows do -------------------------------------------------------------------------

async function catchUp(turn) {
  const state = turn?.querySelector("[data-state]");
  for (let wait = 500; ; wait = Math.min(wait * 2, 8000)) {
    if (state) {
      state.textContent = talk.dataset.lost;
      state.hidden = false;
    }
    if (await refresh(turn)) return;
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

async function refresh(turn) {
  const last = [...turns.querySelectorAll("[data-turn]")].at(-1);
  const since = Number(last?.dataset.turn ?? 1);
  let response;
  try {
    response = await fetch(address(`since?since=${since}`), { headers: headers() });
  } catch {
    return false;
  }
  if (response.status >= 500) return false;
  if (!response.ok) {
    if (response.status === 404) gone();
    else if (!isRefused) await refused(response); // said once, and the page stays
    isRefused = true;
    return true;
  }
  const holder = document.createElement("template");
  holder.innerHTML = await response.text();
  turn?.remove();
  const stays = atEnd();
  for (const came of holder.content.querySelectorAll("article")) {
    const known = document.getElementById(came.id);
    if (!known) {
      document.getElementById("beginning")?.remove();
      turns.append(came);
      htmx.process(came);
      if (turn) told.textContent = came.dataset.told ?? told.textContent;
    } else if (known.dataset.follows === undefined || came.dataset.follows === undefined) {
      if (known.querySelector("details[open]") && known.textContent.length === came.textContent.length) continue;
      if (known.dataset.follows !== undefined) told.textContent = came.dataset.told ?? "";
      Idiomorph.morph(known, came, { morphStyle: "outerHTML" });
      htmx.process(document.getElementById(came.id));
    }
  }
  if (stays) toEnd();
  followWhatGoes();
  return true;
}

/** Deleted in another window: the page says so, keeps what is typed, and takes it along to a new conversation. */
function gone() {
  if (isGone) return;
  isGone = true;
  send.disabled = true;
  turns.after(document.getElementById("gone").content.cloneNode(true));
  document.getElementById("go-on").addEventListener("click", () => {
    if (field.value.trim()) keep("chat-new", { question: field.value });
  });
  toEnd();
}

async function followWhatGoes() {
  const going = turns.querySelector("[data-follows]");
  if (!going || following) return;
  busy(true);
  try {
    const response = await fetch(going.dataset.follows, { headers: headers() });
    if (!response.ok) throw new Error(String(response.status));
    await take(response, going);
  } catch {
    busy(false);
    await catchUp(going);
  }
}

if (conversation) {
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.requestConfig.elt.id !== "scope-place" || event.detail.xhr.status !== 404) return;
    event.detail.shouldSwap = false; // the page itself tells that the conversation is gone
    gone();
  });
  document.body.addEventListener("news:conversations", () => following || refresh());
  document.body.addEventListener("news:everything", () => following || refresh());
  followWhatGoes();
}
