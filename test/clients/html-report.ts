import { DIRECTORY_MODE, FILE_MODE, packMember, writeZip } from "../../scripts/demo/zip-writer.ts";

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const MTIME = Date.UTC(2025, 5, 30, 8, 15, 42) / 1000;

/** An archive of files by path, as they are or as text. */
export function archiveOf(files: Readonly<Record<string, string | Uint8Array>>): Uint8Array {
  const members = Object.entries(files).map(([path, content]) =>
    packMember({
      path,
      content: Buffer.from(content),
      method: path.endsWith(".png") || path.endsWith("/") ? "stored" : "deflated",
      mode: path.endsWith("/") ? DIRECTORY_MODE : FILE_MODE,
      mtime: MTIME,
    }),
  );
  return writeZip(members);
}

const INDEX = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Report</title>
<link rel="stylesheet" href="style/site.css">
<style>#inline { outline-style: dotted }</style>
<h1>Report</h1>
<p id="inline">?</p>
<p id="script">?</p>
<p id="module">?</p>
<p id="worker">?</p>
<img id="pixel" src="images/pixel.png" alt="">
<img id="drawing" src="images/drawing.svg" alt="">
<iframe name="inner" src="sub/ein%20Blatt.html"></iframe>
<p><a id="sub" href="sub/ein%20Blatt.html">Another page</a>
<script>document.querySelector("#inline").textContent = "ran";</script>
<script src="js/app.js"></script>
<script type="module" src="js/main.mjs"></script>
`;

const SUB = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Sub-page</title>
<link rel="stylesheet" href="../style/site.css">
<h1>Sub-page</h1>
<p><a id="up" href="../index.html">Back</a>
`;

const APP = `
document.querySelector("#script").textContent = "ran";
const worker = new Worker(URL.createObjectURL(new Blob(["postMessage('ran')"])));
worker.onmessage = ({ data }) => { document.querySelector("#worker").textContent = data; };
`;

/** A report as coverage and test tools write them: pages with styles, scripts, modules, images and frames of their own. */
export const HTML_REPORT: Readonly<Record<string, string | Uint8Array>> = {
  "report/": "",
  "report/index.html": INDEX,
  "report/sub/ein Blatt.html": SUB,
  "report/style/site.css": '@import "more.css";\nh1 { color: rgb(1, 2, 3) }\n',
  "report/style/more.css": "h1 { text-transform: uppercase; background: url(../images/pixel.png) }\n",
  "report/js/app.js": APP,
  "report/js/main.mjs":
    'import { text } from "./part.mjs";\ndocument.querySelector("#module").textContent = text;\n',
  "report/js/part.js": "self.isRun = true;\n",
  "report/js/part.mjs": 'export const text = "ran";\n',
  "report/images/pixel.png": Buffer.from(PIXEL, "base64"),
  "report/images/drawing.svg": '<svg xmlns="http://www.w3.org/2000/svg" width="7" height="7"></svg>',
};

const PROBE = "document.documentElement.id = self.origin;";
/** Kinds of files in which browsers run scripts. */
export const ACTIVE_FILES: Readonly<Record<string, string>> = {
  "active/page.htm": `<!doctype html><script>${PROBE}</script>`,
  "active/PAGE.HTML": `<!doctype html><script>${PROBE}</script>`,
  "active/page.xhtml": `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>a</title><script>${PROBE}</script></head><body/></html>`,
  "active/drawing.svg": `<svg xmlns="http://www.w3.org/2000/svg"><script>${PROBE}</script></svg>`,
  "active/page.xml": `<html xmlns="http://www.w3.org/1999/xhtml"><body><script>${PROBE}</script></body></html>`,
};

/** What of the report works, as the page in a browser finds. */
export type ReportWorks = {
  readonly origin: string;
  readonly style: boolean;
  readonly imported: boolean;
  readonly inlineStyle: boolean;
  readonly inline: boolean;
  readonly script: boolean;
  readonly module: boolean;
  readonly worker: boolean;
  readonly image: number;
  readonly drawing: number;
  readonly frames: number;
};

/** An expression that finds it. */
export const REPORT_WORKS = `(() => {
  const find = (selector) => document.querySelector(selector);
  const heading = getComputedStyle(find("h1"));
  return {
    origin: self.origin,
    style: heading.color === "rgb(1, 2, 3)",
    imported: heading.textTransform === "uppercase",
    inlineStyle: getComputedStyle(find("#inline")).outlineStyle === "dotted",
    inline: find("#inline").textContent === "ran",
    script: find("#script").textContent === "ran",
    module: find("#module").textContent === "ran",
    worker: find("#worker").textContent === "ran",
    image: find("#pixel").naturalWidth,
    drawing: find("#drawing").naturalWidth,
    frames: frames.length,
  };
})()`;
