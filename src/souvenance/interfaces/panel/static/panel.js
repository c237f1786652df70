// What every page needs of a script: dialogs, menus, messages that go away, theme, text that is not lost.
import { forget, keep, kept } from "./drafts.js";

const on = (event, selector, act) =>
  document.addEventListener(event, (happened) => {
    const found = happened.target.closest?.(selector);
    if (found) act(found, happened);
  });

// --- dialogs: data-opens="ID" opens one, data-closes closes the one around it --------------------------------------

on("click", "[data-opens]", (button) => {
  button.closest("[popover]")?.hidePopover(); // first: where the keyboard is then, it comes back to when the dialog closes
  document.getElementById(button.dataset.opens)?.showModal();
});
on("click", "[data-closes]", (button) => {
  const dialog = button.closest("dialog");
  for (const form of dialog?.querySelectorAll("form[data-keep]") ?? []) drop(form);
  dialog?.close();
});
document.addEventListener("htmx:afterSwap", (event) => {
  for (const dialog of event.target.querySelectorAll?.("dialog[data-open-now]") ?? []) if (!dialog.open) dialog.showModal();
  event.target.querySelector?.("[data-shows-itself]")?.focus(); // what was done is told above what is on the screen
});
document.addEventListener("htmx:afterRequest", (event) => {
  if (event.detail.successful && event.target.matches?.("dialog form[data-closes-after]")) event.target.closest("dialog").close();
});

// --- menus: a popover stands under the button that opens it --------------------------------------------------------

document.addEventListener(
  "toggle",
  (event) => {
    const menu = event.target;
    if (event.newState !== "open" || !menu.matches?.("[popover]")) return;
    const button = document.querySelector(`[popovertarget="${CSS.escape(menu.id)}"]`);
    if (!button) return;
    const at = button.getBoundingClientRect();
    const left = Math.max(8, Math.min(at.left, innerWidth - menu.offsetWidth - 8));
    const below = at.bottom + 6 + menu.offsetHeight <= innerHeight || at.top < menu.offsetHeight;
    menu.style.left = `${left}px`;
    menu.style.top = below ? `${at.bottom + 6}px` : "auto"; // one that stands above grows upwards with what it holds
    menu.style.bottom = below ? "auto" : `${innerHeight - at.top + 6}px`;
    menu.style.position = "fixed";
  },
  true,
);

// --- messages --------------------------------------------------------------------------------------------------------

const toasts = document.getElementById("toasts");
const causes = new WeakMap(); // what asked for that which an error's toast tells of
const cause = (asking) => asking.closest("form") ?? asking;
let refused = null;
document.addEventListener("htmx:beforeSwap", (event) => (refused = event.detail.isError ? cause(event.detail.requestConfig.elt) : null));
document.addEventListener("htmx:beforeRequest", (event) => {
  const asking = cause(event.detail.requestConfig.elt);
  for (const toast of document.querySelectorAll(".toast.bad")) if (causes.get(toast) === asking) toast.remove();
});
document.addEventListener("htmx:afterRequest", (event) => {
  if (event.detail.successful) document.querySelectorAll('.toast[data-code="0"]').forEach((toast) => toast.remove());
});

function watchToasts() {
  for (const toast of toasts.querySelectorAll(".toast:not([data-watched])")) {
    toast.dataset.watched = "";
    if (!toast.classList.contains("bad")) {
      setTimeout(() => toast.remove(), 9000);
      continue;
    }
    if (refused) causes.set(toast, refused);
    // Every piece of a page may be told that nobody is signed in any more; once is enough.
    const before = document.querySelectorAll(`.toast[data-code="${toast.dataset.code}"][data-watched]`);
    if (toast.dataset.code === "401" && before.length > 1) toast.remove();
    else {
      document.querySelector("dialog:modal")?.prepend(toast); // what lies under a dialog is neither seen nor reached
      toast.scrollIntoView({ block: "nearest" }); // nor what a tall one has scrolled away
    }
  }
}
new MutationObserver(watchToasts).observe(toasts, { childList: true });
watchToasts();
on("click", "[data-dismisses]", (button) => button.closest(".toast, .notice")?.remove());
document.addEventListener("close", (event) => event.target.querySelectorAll?.(".toast").forEach((one) => one.remove()), true);

document.addEventListener("htmx:sendError", (event) => {
  if (event.detail.requestConfig.verb !== "get" && !document.querySelector('.toast[data-code="0"]'))
    toasts.append(document.getElementById("unreachable").content.cloneNode(true));
});

// --- signed in again in another window: this page goes on with the proof that the new session asks for ------------------

const people = new BroadcastChannel("souvenance-people");
const proven = () => ({ person: document.body.dataset.person, proof: document.body.getAttribute("hx-headers") });
people.onmessage = ({ data }) => {
  const before = proven();
  if (!before.proof || data.person !== before.person || data.proof === before.proof) return;
  document.body.setAttribute("hx-headers", data.proof);
  for (const field of document.querySelectorAll("input[name=csrf]")) field.value = JSON.parse(data.proof)["x-csrf"];
  document.querySelectorAll('.toast[data-code="401"]').forEach((toast) => toast.remove());
  document.body.dispatchEvent(new CustomEvent("signed-in"));
};
if (proven().proof) people.postMessage(proven());

// --- copying -----------------------------------------------------------------------------------------------------------

on("click", "[data-copies]", async (button) => {
  await navigator.clipboard.writeText(document.getElementById(button.dataset.copies).textContent.trim());
  const label = button.querySelector("span") ?? button;
  const before = label.textContent;
  label.textContent = button.dataset.copied ?? "✓";
  setTimeout(() => (label.textContent = before), 1600);
});

// --- sliders say their value while they are moved ----------------------------------------------------------------------

on("input", "input[type=range][data-says]", (slider) => {
  const output = document.getElementById(slider.dataset.says);
  if (output) output.textContent = output.dataset.pattern.replace("%", slider.value);
});

// --- a piece that comes anew leaves alone what a person has opened, types or moves -------------------------------------

const held = new WeakSet(); // fields that were moved and not yet sent
on("input", "input, select", (field) => held.add(field));
document.addEventListener("htmx:beforeRequest", (event) => {
  held.delete(event.target);
  for (const field of event.target.elements ?? []) held.delete(field);
});
Idiomorph.defaults.callbacks.beforeAttributeUpdated = (name, node) => {
  if (name === "style") return !node.matches("[popover]"); // its place
  if (name === "open") return !node.matches("dialog, details");
  if (name === "value") return !(held.has(node) || (node === document.activeElement && node.matches("input:not([type=range]), textarea")));
  if (name === "maxlength" || name === "data-most") return false; // see below: a field takes all
  return name !== "checked" || !held.has(node);
};

// --- text that is not lost: forms with data-keep="NAME" come back as they were typed -----------------------------------

on("input", "form[data-keep]", (form) => {
  const values = {};
  for (const field of form.elements)
    if (field.name && !["hidden", "password", "file"].includes(field.type))
      values[field.name] = field.type === "checkbox" || field.type === "radio" ? undefined : field.value;
  keep(form.dataset.keep, values);
});
function drop(form) {
  forget(form.dataset.keep);
  form.reset();
}
function unfold(field) {
  for (let fold = field.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
}
document.addEventListener("invalid", (event) => unfold(event.target), true); // what is folded cannot be focused, nor sent
function bringBack(root) {
  for (const form of root.querySelectorAll?.("form[data-keep]") ?? []) {
    const typed = kept(form.dataset.keep);
    if (!typed) continue;
    for (const [name, value] of Object.entries(typed)) {
      const field = form.elements[name];
      if (!field || !("value" in field) || value === undefined || field.value === value) continue;
      field.value = value;
      if (field instanceof Element) unfold(field);
    }
    form.dispatchEvent(new CustomEvent("brought-back", { bubbles: true }));
  }
}
document.addEventListener("htmx:afterRequest", (event) => {
  const form = event.detail.requestConfig.elt.closest("form[data-keep]"); // also where the answer took its place
  const isDone = event.detail.xhr.status >= 200 && event.detail.xhr.status < 400; // `successful` is not said of one that leads on
  if (!isDone || event.detail.requestConfig.verb !== "post") return;
  if (form) forget(form.dataset.keep);
  const other = document.getElementById(event.detail.requestConfig.elt.dataset.ends); // the form that it was the end of
  if (other) drop(other);
});

// --- a field takes all that is pasted, and says how much of it is too much: a browser would cut it without a word --------

function takeAll(root) {
  const bounded = "input[maxlength], textarea[maxlength]";
  for (const field of [...(root.matches?.(bounded) ? [root] : []), ...(root.querySelectorAll?.(bounded) ?? [])]) {
    field.dataset.most = field.maxLength;
    field.removeAttribute("maxlength");
    measure(field);
  }
}
const tooLong = new WeakSet(); // not told by the notice: a piece that comes anew takes that away
function measure(field) {
  if (!field.dataset?.most) return;
  const over = field.value.length - Number(field.dataset.most);
  const told = field.parentElement.querySelector(":scope > .limit");
  if (over <= 0) {
    if (tooLong.delete(field)) field.setCustomValidity("");
    return told?.remove();
  }
  const notice = told ?? document.getElementById("limit").content.firstElementChild.cloneNode(true);
  const written = (number) => number.toLocaleString(document.documentElement.lang);
  notice.textContent = notice.dataset[over === 1 ? "one" : "many"].replace("%1", written(over)).replace("%2", written(Number(field.dataset.most)));
  tooLong.add(field);
  field.setCustomValidity(notice.textContent);
  if (!told) field.after(notice);
}
on("input", "[data-most]", measure);

function arrived(root) {
  takeAll(root);
  bringBack(root);
  for (const field of root.querySelectorAll?.("[data-most]") ?? []) measure(field);
}
arrived(document);
document.addEventListener("htmx:load", (event) => arrived(event.target));
document.addEventListener("htmx:afterSettle", (event) => takeAll(event.target)); // what was morphed
document.addEventListener("reset", (event) => setTimeout(() => [...event.target.elements].forEach(measure)));

// --- forms that send themselves when something is chosen ---------------------------------------------------------------

on("change", "[data-sends]", (field) => field.form.requestSubmit());

// A badge that was opened while its turn came anew asks once more for what was read.
document.addEventListener("htmx:afterSettle", () => {
  for (const read of document.querySelectorAll("details[open] .read[hx-get]:not(.htmx-request):not([data-again])")) {
    if (read.textContent.trim() !== "…") continue;
    read.dataset.again = "";
    htmx.trigger(read, "again");
  }
});
