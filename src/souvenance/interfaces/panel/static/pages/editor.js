// The editor grows out of a plain text field, which stays the form's: without this script one writes in it as it is.
import { forget, forgetAll } from "../drafts.js";
import { EditorView, basicSetup, markdown, placeholder, EditorState } from "../vendor/codemirror.min.js";

const LARGEST_DRAFT = 1_500_000; // characters: browsers keep some five megabytes for a window

const form = document.getElementById("writing");
const field = document.getElementById("content");

const look = EditorView.theme({
  "&": { fontSize: "0.95rem", color: "var(--ink)", backgroundColor: "var(--card)" },
  ".cm-content": { fontFamily: "var(--mono)", lineHeight: "1.6", padding: "12px 0", caretColor: "var(--accent)" },
  ".cm-scroller": { minHeight: "50dvh" }, // it grows with its text: the window is what scrolls
  ".cm-gutters": { backgroundColor: "var(--sunk)", color: "var(--soft)", border: "0" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "color-mix(in srgb, var(--accent-wash) 45%, transparent)" },
  ".cm-cursor": { borderLeftColor: "var(--accent)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground, ::selection": { backgroundColor: "color-mix(in srgb, var(--accent) 30%, transparent)" },
  ".cm-panels": { backgroundColor: "var(--sunk)", color: "var(--ink)" },
  ".cm-panels .cm-textfield, .cm-panels .cm-button": { backgroundColor: "var(--card)", backgroundImage: "none", color: "var(--ink)", border: "1px solid var(--edge)", borderRadius: "4px" },
  ".cm-placeholder": { color: "var(--soft)" },
  ".cm-tooltip": { backgroundColor: "var(--card)", color: "var(--ink)", border: "1px solid var(--line)" },
  ".cm-line span": { color: "inherit", textDecoration: "none" },
});

let view = null;
let telling = 0;

function tellDraft() {
  clearTimeout(telling);
  telling = 0;
  if (field.value.length <= LARGEST_DRAFT) field.dispatchEvent(new Event("input", { bubbles: true }));
}

function isUnsaved() {
  return field.value !== field.defaultValue;
}

function sayState() {
  const state = document.getElementById("kept");
  if (state) state.textContent = isUnsaved() ? state.dataset.unsaved : "";
}

function put(text) {
  field.value = text;
  if (view) view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
  sayState();
}

function send(stay) {
  if (form.elements.stay) form.elements.stay.value = stay ? "yes" : "";
  form.requestSubmit();
}

function start() {
  const label = document.querySelector('label[for="content"]').textContent;
  view = new EditorView({
    parent: document.getElementById("write"),
    state: EditorState.create({
      doc: field.value,
      extensions: [
        EditorView.cspNonce.of(document.getElementById("editor").dataset.nonce),
        basicSetup,
        markdown(),
        look,
        placeholder(field.placeholder),
        EditorView.lineWrapping,
        EditorView.perLineTextDirection.of(true),
        EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "true", dir: "auto" }),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged) return;
          field.value = update.state.doc.toString();
          sayState();
          clearTimeout(telling);
          telling = setTimeout(tellDraft, 300);
        }),
      ],
    }),
  });
  field.hidden = true;
  if (field.value !== "" || form.elements.title?.value) view.focus();
  else form.elements.title?.focus?.();
  const draft = document.getElementById("draft");
  if (isUnsaved()) draft.hidden = false;
  sayState();
  document.getElementById("drop-draft").addEventListener("click", () => {
    form.reset();
    put(field.defaultValue);
    clearTimeout(telling);
    forget(form.dataset.keep);
    draft.hidden = true;
  });
}

// --- writing and preview -------------------------------------------------------------------------------------------

function show(preview) {
  document.getElementById("write").hidden = preview;
  document.getElementById("preview").hidden = !preview;
  document.getElementById("write-tab").setAttribute("aria-pressed", String(!preview));
  document.getElementById("preview-tab").setAttribute("aria-pressed", String(preview));
  if (!preview) view?.focus();
}

document.addEventListener("click", (event) => {
  if (event.target.closest?.("#write-tab")) show(false);
  const drops = event.target.closest?.("[data-drops]");
  if (drops) forgetNote(drops.dataset.drops);
});
document.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.requestConfig?.path === "/notes/preview") show(true);
});
document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key === "s" && form?.isConnected) {
    event.preventDefault();
    send(true);
  }
});

// --- what the server answers ---------------------------------------------------------------------------------------

function forgetNote(name) {
  forget(name);
  forgetAll(`${name}-conflict-`);
}

document.addEventListener("htmx:beforeRequest", (event) => {
  if (event.target !== form) return;
  clearTimeout(telling);
  telling = 0;
});
document.addEventListener("htmx:afterRequest", (event) => {
  const sent = event.target;
  if (event.detail.requestConfig.verb !== "post") return;
  const isLeaving = event.detail.xhr?.getResponseHeader("HX-Redirect"); // saved, and another page comes
  if (!event.detail.successful && !isLeaving) return;
  if (sent.dataset?.forgets) forgetNote(sent.dataset.forgets);
  if (sent !== form) return;
  if (isLeaving) return forgetNote(form.dataset.keep);
  const fresh = document.getElementById("fresh");
  field.defaultValue = event.detail.requestConfig.parameters.content ?? field.value; // what is saved is where one starts from
  if (fresh?.value && field.value === field.defaultValue) {
    field.defaultValue = fresh.value;
    put(fresh.value);
    clearTimeout(telling);
    forget(form.dataset.keep);
  }
  if (isUnsaved()) tellDraft();
  document.getElementById("draft").hidden = true;
  document.getElementById("problem").replaceChildren();
  form.elements.stay && (form.elements.stay.value = "");
  sayState();
});
document.addEventListener("htmx:afterSettle", () => {
  document.querySelector(".conflict [data-focus]")?.focus();
  const line = Number(document.getElementById("problem")?.dataset.line ?? 0);
  if (line && view && line <= view.state.doc.lines) {
    const at = view.state.doc.line(line);
    view.dispatch({ selection: { anchor: at.from, head: at.to }, scrollIntoView: true });
  }
});
addEventListener("pagehide", () => telling && tellDraft());

if (form && field) start();
