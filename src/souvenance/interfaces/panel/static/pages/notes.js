// The explorer keeps, for this window, which branches are open and how far it is scrolled; on a narrow window it is
// shown when asked for.

const OPEN = "souvenance-explorer-open";
const SCROLL = "souvenance-explorer-scroll";
const LONGEST = 6000;
const explorer = document.getElementById("explorer");

function opened() {
  const found = [];
  for (const fold of document.querySelectorAll("#tree details[open]")) {
    const list = fold.querySelector(":scope > ul");
    found.push(`${fold.dataset.branch}/${list?.dataset.limit ?? 100}/${fold.dataset.folder}`);
  }
  return found;
}

let wanted = null; // what was open on the page before, until it is open here too
document.addEventListener("htmx:configRequest", (event) => {
  if (event.detail.elt.id !== "tree") return;
  let length = 0; // of the address, which servers bound
  for (const branch of wanted ?? opened()) {
    length += encodeURIComponent(branch).length + 6;
    if (length < LONGEST) event.detail.formData.append("open", branch);
  }
  wanted = null;
});

document.addEventListener(
  "toggle",
  (event) => {
    if (event.target.matches?.("#tree details")) sessionStorage.setItem(OPEN, JSON.stringify(opened()));
  },
  true,
);

const before = JSON.parse(sessionStorage.getItem(OPEN) ?? "[]");
const here = opened();
if (explorer && before.some((branch) => !here.includes(branch))) {
  wanted = [...new Set([...before, ...here])];
  document.addEventListener(
    "htmx:afterSettle",
    () => {
      for (const list of document.querySelectorAll("#tree details > ul[data-limit]")) list.parentElement.open = true;
      explorer.scrollTop = Number(sessionStorage.getItem(SCROLL) ?? 0);
    },
    { once: true },
  );
  const ask = () => document.getElementById("tree")?.dispatchEvent(new CustomEvent("remembered"));
  if (document.readyState === "complete") ask();
  else window.addEventListener("load", ask, { once: true });
}
explorer?.addEventListener("scroll", () => sessionStorage.setItem(SCROLL, String(explorer.scrollTop)), { passive: true });

document.addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-shows]");
  if (!button) return;
  const shown = document.getElementById(button.dataset.shows).classList.toggle("shown");
  button.setAttribute("aria-expanded", String(shown));
});

// A menu goes once something of it was chosen.
document.addEventListener("click", (event) => event.target.closest?.("[popover] .menu-item")?.closest("[popover]").hidePopover());
