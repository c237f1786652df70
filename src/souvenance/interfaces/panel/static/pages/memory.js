// The memory page: the picker of vaults, ticks that outlive a new list, a row in hand that no news takes away.
import { forget } from "../drafts.js";

const ticked = new Set();

function showTicks() {
  const boxes = [...document.querySelectorAll("[data-tick]")];
  const here = new Set(boxes.map((box) => box.value));
  for (const number of [...ticked]) if (!here.has(number)) ticked.delete(number);
  for (const box of boxes) box.checked = ticked.has(box.value);
  const bar = document.getElementById("bulk");
  if (!bar) return;
  bar.hidden = ticked.size === 0;
  bar.querySelector("[data-ticked]").textContent = ticked.size;
  const words = bar.querySelector("[data-ticked-words]");
  words.textContent = ticked.size === 1 ? words.dataset.one : words.dataset.many;
  const all = document.querySelector("[data-ticks-all]");
  if (all) {
    all.checked = boxes.length > 0 && ticked.size === boxes.length;
    all.indeterminate = ticked.size > 0 && ticked.size < boxes.length;
  }
}

document.addEventListener("change", (event) => {
  const field = event.target;
  if (field.matches("select[data-goes]")) location.assign(field.value);
  if (field.matches("[data-tick]")) {
    if (field.checked) ticked.add(field.value);
    else ticked.delete(field.value);
    showTicks();
  }
  if (field.matches("[data-ticks-all]")) {
    for (const box of document.querySelectorAll("[data-tick]"))
      if (field.checked) ticked.add(box.value);
      else ticked.delete(box.value);
    showTicks();
  }
  const part = field.dataset.shows ?? field.dataset.showsNot;
  if (part) document.getElementById(part).hidden = !field.dataset.shows;
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.matches("[data-unticks]")) {
    ticked.clear();
    showTicks();
  }
  if (button.dataset.dropsDraft) forget(button.dataset.dropsDraft);
  if (button.matches("[data-hides]")) button.closest("[popover]")?.hidePopover();
});

document.querySelector("#as-of form")?.addEventListener("submit", (event) => {
  event.target.elements.q.value = document.getElementById("q").value; // what is searched for stays
});

document.addEventListener("htmx:afterSettle", showTicks);
document.addEventListener("htmx:afterRequest", (event) => {
  const form = event.target;
  if (!event.detail.successful) return;
  if (form.matches?.("[data-resets]")) form.reset();
  if (form.matches?.("[data-unticks-after]")) {
    ticked.clear();
    showTicks();
  }
});

// A row that is being edited is the person's until they save it or leave it: news of the list go around it.
document.addEventListener("DOMContentLoaded", () => {
  const calls = window.Idiomorph?.defaults?.callbacks;
  if (!calls) return;
  calls.beforeNodeMorphed = (before) => !before.matches?.(".fact.editing");
  calls.beforeNodeRemoved = (node) => !node.matches?.(".fact.editing");
});

// What a person looks for, or looks at, is what the list shows: news ask for that as soon as it was asked for, and what was
// asked for before it changes the list no more, whenever its answer comes.
let gestures = 0;
const asked = new WeakMap();
document.addEventListener("click", (event) => {
  const wanted = event.target.closest?.("#facts a[hx-get]")?.getAttribute("hx-get");
  if (wanted) document.getElementById("facts").setAttribute("hx-get", wanted);
}, true);
document.addEventListener("htmx:beforeRequest", (event) => {
  if (event.detail.elt.matches("#find, #facts a")) gestures += 1;
  asked.set(event.detail.xhr, gestures);
});
document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.target.id === "facts" && asked.get(event.detail.xhr) < gestures) event.detail.swapOverride = "none";
});

// One menu serves every row: it is asked for, and stands under the button that asked.
document.addEventListener("htmx:afterSwap", (event) => {
  const menu = event.detail.target;
  if (menu?.id !== "fact-menu") return;
  const at = event.detail.requestConfig.elt.getBoundingClientRect();
  menu.showPopover();
  const below = at.bottom + 6 + menu.offsetHeight <= innerHeight || at.top < menu.offsetHeight;
  menu.style.position = "fixed";
  menu.style.left = `${Math.max(8, Math.min(at.left, innerWidth - menu.offsetWidth - 8))}px`;
  menu.style.top = `${below ? at.bottom + 6 : at.top - menu.offsetHeight - 6}px`;
  menu.querySelector("button")?.focus();
});

// A form that takes a row's place takes the keyboard too; a row that comes back gives it back.
document.addEventListener("htmx:afterSwap", (event) => {
  const row = event.detail.elt?.closest?.(".fact.editing") ?? document.querySelector(".fact.editing:not([data-met])");
  if (row && !row.dataset.met) {
    row.dataset.met = "";
    row.querySelector("textarea")?.focus();
  }
});
document.addEventListener("htmx:afterSettle", (event) => {
  const [, number] = /^\/fact\/(\d+)(\/row)?$/.exec(event.detail.requestConfig?.path ?? "") ?? [];
  if (number && document.activeElement === document.body) document.querySelector(`#fact-${number}:not(.editing) .fact-acts button`)?.focus();
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  const form = event.target.closest?.(".fact.editing form");
  if (form) form.querySelector("[data-drops-draft]").click();
});

const named = location.search.includes("q=%23") && document.querySelector(".fact");
if (named) named.classList.add("named");
