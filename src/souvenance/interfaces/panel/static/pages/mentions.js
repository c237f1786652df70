// Vaults are completed after an @: a list that opens under the caret's field, led by the arrow keys from within it.

const folded = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

export function mentions(field, list, source, status) {
  let options = [];
  let at = 0;
  const isOpen = () => !list.hidden;

  function close() {
    list.hidden = true;
    field.removeAttribute("aria-activedescendant");
  }

  function choose(option) {
    const start = field.value.lastIndexOf("@", field.selectionStart - 1);
    field.setRangeText(`@${option.dataset.slug} `, start, field.selectionStart, "end");
    close();
    field.focus();
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }

  function show(place) {
    at = (place + options.length) % options.length;
    options.forEach((option, index) => option.setAttribute("aria-selected", String(index === at)));
    field.setAttribute("aria-activedescendant", options[at].id);
    options[at].scrollIntoView({ block: "nearest" });
  }

  function look() {
    const typed = /(?:^|[\s(«"'])@([\p{L}\p{N}_-]{0,40})$/u.exec(field.value.slice(0, field.selectionStart));
    const wanted = typed && folded(typed[1]);
    const known = JSON.parse((document.getElementById(source.id) ?? source).dataset.vaults);
    const found = typed ? known.filter((vault) => folded(vault.slug).includes(wanted) || folded(vault.name).includes(wanted)).slice(0, 8) : [];
    if (!found.length || (found.length === 1 && found[0].slug === typed[1])) return close();
    options = found.map((vault, index) => {
      const option = document.createElement("li");
      option.id = `mention-${index}`;
      option.setAttribute("role", "option");
      option.dataset.slug = vault.slug;
      const name = option.appendChild(document.createElement("span"));
      name.textContent = vault.name;
      const slug = option.appendChild(document.createElement("span"));
      slug.className = "soft tiny";
      slug.textContent = `@${vault.slug}`;
      option.addEventListener("mousedown", (event) => {
        event.preventDefault();
        choose(option);
      });
      return option;
    });
    list.replaceChildren(...options);
    list.hidden = false;
    status.textContent = found.map((vault) => vault.name).join(", ");
    show(0);
  }

  field.addEventListener("input", look);
  field.addEventListener("click", look);
  field.addEventListener("blur", close);
  field.addEventListener("keydown", (event) => {
    if (!isOpen()) return;
    if (event.key === "ArrowDown") show(at + 1);
    else if (event.key === "ArrowUp") show(at - 1);
    else if (event.key === "Enter" || event.key === "Tab") choose(options[at]);
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  });
  return isOpen;
}
