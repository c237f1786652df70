// One stream of news per browser, not per window: browsers allow six connections to one server, and a person may have
// more windows open. The window that holds the lock listens and tells the others; when it closes, another takes over.
const channel = new BroadcastChannel("souvenance-news");

function tell(names) {
  for (const name of names) document.body.dispatchEvent(new CustomEvent(`news:${name}`));
  if (names.some((name) => name.startsWith("knowledge"))) document.body.dispatchEvent(new CustomEvent("news:knowledge"));
}

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
    const source = new EventSource("/live");
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

function begin() {
  if (navigator.locks) navigator.locks.request("souvenance-news", keepListening);
  else keepListening(); // over plain HTTP from elsewhere a browser has no locks: then each window listens for itself
}
begin();
document.body.addEventListener("signed-in", () => {
  if (document.documentElement.dataset.connection !== "ended") return;
  connection("there");
  tell(["everything"]);
  begin();
});
