// One stream of news per browser, not per window: browsers allow six connections to one server, and a person may have
// more windows open. The window that holds the lock listens and tells the others; when it closes, another takes over.
// Each window knows the moment its page was made at: what was written between then and the first news is asked for.
const channel = new BroadcastChannel("souvenance-news");
const after = `after=${encodeURIComponent(document.documentElement.dataset.moment ?? "")}`;

function tell(names) {
  for (const name of names) document.body.dispatchEvent(new CustomEvent(`news:${name}`));
  if (names.some((name) => name.startsWith("knowledge"))) document.body.dispatchEvent(new CustomEvent("news:knowledge"));
}

// News that had to wait ask for what a piece shows by then, not for what it showed when they came.
document.addEventListener("htmx:configRequest", (event) => {
  const { elt, triggeringEvent } = event.detail;
  if (triggeringEvent?.type.startsWith("news:")) event.detail.path = elt.getAttribute("hx-get") ?? event.detail.path;
});

function connection(state) {
  document.documentElement.dataset.connection = state;
}

function receive(message) {
  if (message.kind === "news") tell(message.names);
  else connection(message.kind);
}

channel.onmessage = (event) => receive(event.data);

function broadcast(message) {
  channel.postMessage(message);
  receive(message);
}

function listen() {
  return new Promise((resolve) => {
    let wasLost = false;
    const source = new EventSource(`/live?${after}`);
    source.addEventListener("hello", () => {
      broadcast({ kind: "there" });
      if (wasLost) broadcast({ kind: "news", names: ["everything"] }); // whatever was missed is asked for again
      wasLost = false;
    });
    source.addEventListener("news", (event) => broadcast({ kind: "news", names: JSON.parse(event.data) }));
    source.addEventListener("ended", () => {
      source.close();
      broadcast({ kind: "ended" });
      resolve();
    });
    source.onerror = () => {
      wasLost = true;
      broadcast({ kind: "lost" });
      if (source.readyState === EventSource.CLOSED) setTimeout(() => resolve(), 2000);
    };
  });
}

async function keepListening() {
  while (document.documentElement.dataset.connection !== "ended") await listen();
}

async function askForMissed() {
  const response = await fetch(`/live/missed?${after}`).catch(() => null);
  if (response?.ok) tell(await response.json());
}

async function listenOrFollow() {
  const isListener = await navigator.locks.request("souvenance-news", { ifAvailable: true }, async (lock) => {
    if (lock) await keepListening();
    return Boolean(lock);
  });
  if (isListener) return;
  await askForMissed(); // another window listens already, and may have told it before this one heard
  navigator.locks.request("souvenance-news", keepListening);
}

// Over plain HTTP from elsewhere a browser has no locks: then each window listens for itself.
const begin = navigator.locks ? listenOrFollow : keepListening;
document.addEventListener("DOMContentLoaded", begin); // not before the page's pieces can hear what they are told
document.body.addEventListener("signed-in", () => {
  if (document.documentElement.dataset.connection !== "ended") return;
  connection("there");
  tell(["everything"]);
  begin();
});
