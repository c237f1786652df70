// The first steps: an example fills the field it stands under.
document.addEventListener("click", (event) => {
  const example = event.target.closest("[data-fills]");
  if (!example) return;
  const field = document.getElementById(example.dataset.fills);
  field.value = example.textContent;
  field.focus();
  field.dispatchEvent(new Event("input", { bubbles: true }));
});
