// The neural map: what is asked of the server, what a person does with it. How it is drawn stands in map-drawing.js.
import { Drawing } from "./map-drawing.js";

const root = document.getElementById("map");
const canvas = document.getElementById("map-canvas");
const tip = document.getElementById("map-tip");
const sheet = document.getElementById("map-sheet");
const texts = root.dataset;
const drawing = begun();

function begun() {
  try {
    return new Drawing(canvas, document.getElementById("map-ground"));
  } catch (error) {
    document.getElementById("map-cannot").hidden = false;
    document.getElementById("map-wait").hidden = true;
    throw error;
  }
}

// --- what is drawn -------------------------------------------------------------------------------------------------

let asking = null;
async function load() {
  asking?.abort();
  asking = new AbortController();
  try {
    const answer = await fetch("/map/data", { signal: asking.signal, headers: { Accept: "application/json" } });
    if (!answer.ok) return;
    const data = await answer.json();
    drawing.take(data);
    document.getElementById("map-wait").hidden = true;
    document.getElementById("map-empty").hidden = data.ids.length > 0;
    document.getElementById("map-cut").hidden = !data.cut;
    if (!data.settled) setTimeout(load, 600);
    if (chosen) follow();
  } catch (error) {
    if (error.name !== "AbortError") setTimeout(load, 3000); // the server is away: the map stays as it was
  }
}

async function weigh() {
  const answer = await fetch("/map/weights");
  if (answer.ok) drawing.dim(await answer.json());
}

let later = 0;
function soon() {
  clearTimeout(later);
  later = setTimeout(load, 700);
}
document.body.addEventListener("news:attention", weigh);
for (const name of ["knowledge", "vaults", "everything"]) document.body.addEventListener(`news:${name}`, soon);

// --- choosing a node -----------------------------------------------------------------------------------------------

let chosen = "";
function choose(id, { centre = false } = {}) {
  chosen = id;
  drawing.choose(id, { centre });
  if (!id) {
    sheet.hidden = true;
    canvas.focus({ preventScroll: true });
    return;
  }
  ask(id);
}

/** The sheet after the map was drawn anew: what it shows may have changed elsewhere, or be gone. */
function follow() {
  const shown = sheet.querySelector(".node-sheet");
  if (!drawing.place.has(chosen)) return ask(chosen, { quietly: true }); // gone, which is told, or no longer drawn
  if (shown && Boolean(drawing.about(chosen).disabled) !== (shown.dataset.disabled === "1")) ask(chosen, { quietly: true });
  else near(chosen);
}

let isQuiet = false;
function ask(id, { quietly = false } = {}) {
  isQuiet = quietly;
  htmx.ajax("GET", `/map/node/${id}`, { target: "#map-sheet", swap: "innerHTML" });
}

document.addEventListener("htmx:afterSwap", (event) => {
  const shown = sheet.querySelector(".node-sheet");
  if (event.detail.target !== sheet || !shown) return;
  sheet.hidden = false;
  drawing.disable(shown.dataset.node, shown.dataset.disabled === "1");
  near(shown.dataset.node);
  if (!isQuiet) shown.querySelector("h2").focus({ preventScroll: true });
});

document.addEventListener("htmx:responseError", (event) => {
  if (event.detail.requestConfig.path === `/map/node/${chosen}`) choose("");
});

function near(id) {
  const box = sheet.querySelector("[data-near]");
  if (!box) return;
  const list = box.querySelector("ul");
  list.replaceChildren(...drawing.tiedTo(id).slice(0, 30).map(({ id, label, form }) => entry(id, label, form)));
  box.hidden = !list.children.length;
}

function entry(id, label, form) {
  const item = document.createElement("li");
  const button = document.createElement("button");
  button.type = "button";
  button.className = "menu-item tiny";
  button.dataset.goes = id;
  const kind = document.createElement("span");
  kind.className = "chip";
  kind.textContent = texts[form];
  const name = document.createElement("span");
  name.className = "clip";
  name.dir = "auto";
  name.textContent = label;
  button.append(kind, name);
  item.append(button);
  return item;
}

root.addEventListener("click", (event) => {
  const goes = event.target.closest("[data-goes]");
  if (goes) {
    hits.hidden = true;
    drawing.search("");
    choose(goes.dataset.goes, { centre: true });
  }
  if (event.target.closest("[data-close-sheet]")) choose("");
  const vault = event.target.closest("[data-vault]");
  if (vault) drawing.showVault(Number(vault.dataset.vault));
  const zoom = event.target.closest("[data-zoom]")?.dataset.zoom;
  if (zoom === "all") drawing.showAll();
  else if (zoom) drawing.zoom(zoom === "in" ? 1.5 : 1 / 1.5);
});

// --- hand and keys -------------------------------------------------------------------------------------------------

const pointers = new Map();
let moved = 0;
canvas.addEventListener("pointerdown", (event) => {
  canvas.setPointerCapture(event.pointerId);
  pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
  moved = 0;
  tip.hidden = true;
});
canvas.addEventListener("pointermove", (event) => {
  const before = pointers.get(event.pointerId);
  if (!before) return hover(event);
  const [one, other] = [...pointers.values()];
  if (other) {
    const fixed = before === one ? other : one;
    const was = Math.hypot(before.x - fixed.x, before.y - fixed.y);
    const is = Math.hypot(event.offsetX - fixed.x, event.offsetY - fixed.y);
    if (was > 0) drawing.zoom(is / was, fixed.x, fixed.y);
  } else drawing.pan(event.offsetX - before.x, event.offsetY - before.y);
  moved += Math.abs(event.offsetX - before.x) + Math.abs(event.offsetY - before.y);
  if (moved > 4) canvas.classList.add("held");
  before.x = event.offsetX;
  before.y = event.offsetY;
});
for (const name of ["pointerup", "pointercancel"])
  canvas.addEventListener(name, (event) => {
    const was = pointers.delete(event.pointerId);
    canvas.classList.remove("held");
    if (name === "pointerup" && was && moved <= 4) {
      const id = drawing.at(event.offsetX, event.offsetY, event.pointerType === "touch" ? 18 : 9);
      if (id || chosen) choose(id);
    }
  });
canvas.addEventListener("pointerleave", () => (tip.hidden = true));
canvas.addEventListener("dblclick", (event) => drawing.zoom(1.8, event.offsetX, event.offsetY));
canvas.addEventListener(
  "wheel",
  (event) => {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 16 : 1;
    drawing.zoom(Math.exp(-event.deltaY * lines * (event.ctrlKey ? 0.01 : 0.0018)), event.offsetX, event.offsetY);
  },
  { passive: false },
);

function hover(event) {
  const id = drawing.at(event.offsetX, event.offsetY, 9);
  canvas.classList.toggle("over", Boolean(id));
  drawing.hover(id);
  tip.hidden = !id;
  if (!id) return;
  const { label, form, vault, disabled } = drawing.about(id);
  const kind = document.createElement("small");
  kind.textContent = `${texts[form]} · ${vault}${disabled ? ` · ${texts.off}` : ""}`;
  tip.replaceChildren(label, kind);
  tip.dir = "auto";
  const left = Math.min(event.offsetX + 14, canvas.clientWidth - tip.offsetWidth - 8);
  const top = event.offsetY + 16 + tip.offsetHeight > canvas.clientHeight ? event.offsetY - tip.offsetHeight - 10 : event.offsetY + 16;
  tip.style.transform = `translate(${Math.max(8, left)}px, ${top}px)`;
}

canvas.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const step = event.shiftKey ? 200 : 60;
  const acts = {
    ArrowLeft: () => drawing.pan(step, 0),
    ArrowRight: () => drawing.pan(-step, 0),
    ArrowUp: () => drawing.pan(0, step),
    ArrowDown: () => drawing.pan(0, -step),
    "+": () => drawing.zoom(1.3),
    "=": () => drawing.zoom(1.3),
    "-": () => drawing.zoom(1 / 1.3),
    0: () => drawing.showAll(),
    Home: () => drawing.showAll(),
    Enter: () => choose(drawing.at(canvas.clientWidth / 2, canvas.clientHeight / 2, Infinity)),
  };
  if (!acts[event.key]) return;
  event.preventDefault();
  acts[event.key]();
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || document.querySelector("#scope-choice:popover-open")) return;
  if (!hits.hidden) hits.hidden = true;
  else if (chosen) choose("");
});

// --- search --------------------------------------------------------------------------------------------------------

const query = document.getElementById("map-query");
const hits = document.getElementById("map-hits");
query.addEventListener("input", () => {
  const found = drawing.search(query.value);
  hits.hidden = !query.value.trim();
  hits.replaceChildren(...found.slice(0, 12).map(({ id, label, form }) => entry(id, label, form)));
  const many = found.length ? texts.found.replace("%n", found.length.toLocaleString(document.documentElement.lang)) : texts.none;
  document.getElementById("map-said").textContent = query.value.trim() ? many : "";
  const line = document.createElement("li");
  line.className = "soft tiny";
  line.textContent = many;
  line.setAttribute("aria-hidden", "true");
  hits.append(line);
});
query.addEventListener("keydown", (event) => {
  const first = hits.querySelector("button");
  if (event.key === "Enter" && first) first.click();
  if (event.key === "ArrowDown" && first) {
    event.preventDefault();
    first.focus();
  }
});
hits.addEventListener("keydown", (event) => {
  const item = document.activeElement.closest("li");
  const to = event.key === "ArrowDown" ? item?.nextElementSibling : event.key === "ArrowUp" ? item?.previousElementSibling : null;
  if (event.key === "ArrowUp" || event.key === "ArrowDown") {
    event.preventDefault();
    (to?.querySelector("button") ?? query).focus();
  }
});
document.addEventListener("pointerdown", (event) => {
  if (!event.target.closest(".map-search")) hits.hidden = true;
});

// --- legend --------------------------------------------------------------------------------------------------------

const legend = document.getElementById("map-legend");
drawing.aside = () => (innerWidth > 760 && legend.open ? legend.offsetWidth + 16 : 0);
legend.open = localStorage.getItem("souvenance-map-legend") !== "closed" && innerWidth > 760;
legend.addEventListener("toggle", () => innerWidth > 760 && localStorage.setItem("souvenance-map-legend", legend.open ? "open" : "closed"));
for (const box of legend.querySelectorAll("[data-ties]")) {
  box.checked = localStorage.getItem(`souvenance-map-${box.dataset.ties}`) !== "off";
  const show = () => drawing.showTies(box.dataset.ties, box.checked);
  show();
  box.addEventListener("change", () => {
    localStorage.setItem(`souvenance-map-${box.dataset.ties}`, box.checked ? "on" : "off");
    show();
  });
}
load();
