/** Something that a report might try to do as whoever looks at it. */
export type Attack = {
  readonly name: string;
  /** An expression in the page; `by` is an address of the forge that has the attack's name in it. */
  readonly act: string;
  /** What comes of it where it is forbidden: an error's name, or a value. */
  readonly comesTo: string;
};

/** The parameter of addresses that has the name of the attack they are asked for by. */
export const BY = "attack-by";

/** The attack by which something was asked for. */
export function attackOf(url: string): string | undefined {
  return new URL(url, "http://forge").searchParams.get(BY) ?? undefined;
}

const either = (target: string, good: string): string =>
  `new Promise((resolve) => {
    const target = ${target};
    target.on${good} = () => resolve("done");
    target.onerror = () => resolve("failed");
  })`;
const posts = (target: string): string =>
  `(() => {
    const form = document.createElement("form");
    Object.assign(form, { method: "post", target: "${target}", action: by });
    document.body.append(form);
    form.submit();
  })()`;
const framed = (act: string): string =>
  `(() => {
    const frame = document.createElement("iframe");
    frame.src = by;
    document.body.append(frame);
    ${act}
  })()`;

export const ATTACKS: readonly Attack[] = [
  { name: "origin", act: "self.origin", comesTo: "null" },
  { name: "cookies", act: "document.cookie", comesTo: "SecurityError" },
  { name: "setting a cookie", act: 'document.cookie = "a=b"', comesTo: "SecurityError" },
  { name: "cookie store", act: "cookieStore.getAll()", comesTo: "SecurityError" },
  { name: "local storage", act: "localStorage.length", comesTo: "SecurityError" },
  { name: "session storage", act: "sessionStorage.length", comesTo: "SecurityError" },
  { name: "indexed database", act: 'indexedDB.open("a")', comesTo: "SecurityError" },
  { name: "caches", act: 'caches.open("a")', comesTo: "SecurityError" },
  {
    name: "fetch",
    act: 'fetch(by, { credentials: "include" }).then((answer) => answer.text())',
    comesTo: "TypeError",
  },
  {
    name: "blind post",
    act: 'fetch(by, { mode: "no-cors", method: "POST", credentials: "include" })',
    comesTo: "TypeError",
  },
  {
    name: "request",
    act: `(() => {
      const request = new XMLHttpRequest();
      request.open("GET", by, false);
      request.send();
    })()`,
    comesTo: "NetworkError",
  },
  { name: "beacon", act: 'void navigator.sendBeacon(by, "a=b")', comesTo: "undefined" },
  { name: "event source", act: either("new EventSource(by)", "open"), comesTo: "failed" },
  { name: "web socket", act: either('new WebSocket(by.replace("http", "ws"))', "open"), comesTo: "failed" },
  { name: "posted form", act: posts("_self"), comesTo: "undefined" },
  { name: "posted form, new window", act: posts("_blank"), comesTo: "undefined" },
  { name: "service worker", act: 'navigator.serviceWorker.register("alone.js")', comesTo: "SecurityError" },
  { name: "worker of the forge", act: "new Worker(by)", comesTo: "SecurityError" },
  { name: "shared worker", act: "new SharedWorker(by)", comesTo: "SecurityError" },
  {
    name: "fetch in a worker",
    act: `new Promise((resolve) => {
      const code = "fetch('" + by + "', { credentials: 'include' })" +
        ".then(() => postMessage('done'), (error) => postMessage(error.name))";
      new Worker(URL.createObjectURL(new Blob([code]))).onmessage = ({ data }) => resolve(data);
    })`,
    comesTo: "TypeError",
  },
  {
    name: "reading a frame",
    act: framed(`return new Promise((resolve) => {
      frame.onload = () => resolve(frame.contentDocument === null ? "closed" : "open");
    });`),
    comesTo: "closed",
  },
  {
    name: "writing into a frame",
    act: framed("return frame.contentWindow.document.cookie;"),
    comesTo: "SecurityError",
  },
  { name: "domain", act: "document.domain = location.hostname", comesTo: "SecurityError" },
  {
    name: "base address",
    act: `(() => {
      document.head.insertAdjacentHTML("beforeend", "<base href=/a/b/>");
      return document.baseURI.endsWith("/a/b/");
    })()`,
    comesTo: "false",
  },
  { name: "asking to confirm", act: 'confirm("a")', comesTo: "false" },
  {
    name: "prefetch",
    act: `(() => {
      const link = Object.assign(document.createElement("link"), { rel: "prefetch", href: by });
      document.head.append(link);
      return ${either("link", "load")};
    })()`,
    comesTo: "failed",
  },
];

/** The same, of a page of the forge that the report is shown in. */
export const FRAMED: readonly Attack[] = [
  { name: "document", act: "parent.document.title", comesTo: "SecurityError" },
  { name: "cookies", act: "parent.document.cookie", comesTo: "SecurityError" },
  { name: "storage", act: "parent.localStorage.length", comesTo: "SecurityError" },
  { name: "address", act: "parent.location.href", comesTo: "SecurityError" },
  { name: "frame", act: "String(self.frameElement)", comesTo: "null" },
  { name: "leading it away", act: "void (top.location.href = by)", comesTo: "SecurityError" },
];

/** The same, of a page of the forge that has opened the report in a new window. */
export const OPENED: readonly Attack[] = [
  { name: "document", act: "opener.document.title", comesTo: "SecurityError" },
  { name: "cookies", act: "opener.document.cookie", comesTo: "SecurityError" },
  { name: "storage", act: "opener.localStorage.length", comesTo: "SecurityError" },
  { name: "address", act: "opener.location.href", comesTo: "SecurityError" },
  { name: "leading it away", act: "void (opener.location.href = by)", comesTo: "SecurityError" },
];

/** Tells what came of each attack, by name. It is in a file of its own, as a report's script is. */
function attackScript(attacks: readonly Attack[], tell: string): string {
  const acts = attacks.map(({ name, act }) => `${JSON.stringify(name)}: (by) => ${act}`);
  return `
const addressOf = (name) => new URL("/api/v4/user?${BY}=" + encodeURIComponent(name), location.href).href;
const settle = async (act) => {
  try {
    return String(await Promise.race([act(), new Promise((resolve) => setTimeout(resolve, 3000, "no end"))]));
  } catch (error) {
    return error.name;
  }
};
const attacks = { ${acts.join(",\n")} };
(async () => {
  const found = {};
  for (const [name, act] of Object.entries(attacks)) found[name] = await settle(() => act(addressOf(name)));
  (${tell})(JSON.stringify(found));
})();
`;
}

function page(script: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Evil</title>
<body>
<pre id="found"></pre>
<script src="${script}"></script>
`;
}

/** Pages that try all of it, and then write what came of it or say it to who shows them. */
export const HOSTILE_REPORT: Readonly<Record<string, string>> = {
  "evil/index.html": page("alone.js"),
  "evil/alone.js": attackScript(
    ATTACKS,
    '(found) => { document.querySelector("#found").textContent = found; }',
  ),
  "evil/framed.html": page("framed.js"),
  "evil/framed.js": attackScript(FRAMED, '(found) => parent.postMessage(found, "*")'),
  "evil/opened.html": page("opened.js"),
  "evil/opened.js": attackScript(OPENED, '(found) => opener.postMessage(found, "*")'),
};

/** An expression that finds what was written, once it is. */
export const FOUND = `document.querySelector("#found").textContent || undefined`;
