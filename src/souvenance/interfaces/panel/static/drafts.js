// Text that is not lost: what is typed in a form with data-keep="NAME" waits in this tab until it is sent or dropped. Each
// tab has its own, and so has each person: who signs in after another finds nothing of theirs.
const START = `souvenance-draft:${document.documentElement.dataset.person ?? ""}:`;

export const keep = (name, values) => sessionStorage.setItem(START + name, JSON.stringify(values));

export function kept(name) {
  const text = sessionStorage.getItem(START + name);
  return text ? JSON.parse(text) : null;
}

export const forget = (name) => sessionStorage.removeItem(START + name);

export function forgetAll(start) {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(START + start)) sessionStorage.removeItem(key);
}
