import { pseudoRandomBytes } from "./pseudo-random.ts";
import { FIRST_COMMIT_SECONDS } from "./sample-content.ts";
import { DIRECTORY_MODE, FILE_MODE, LINK_MODE, packMember, PROGRAM_MODE, writeZip } from "./zip-writer.ts";
import type { PackedMember } from "./zip-writer.ts";

/** When the samples were packed, in milliseconds since 1970. */
export const SAMPLE_ARCHIVE_TIME = (FIRST_COMMIT_SECONDS + 600) * 1000;

const LARGE_BYTES = 3 * 1024 * 1024;
const LOG_LINE = "2026-01-05T09:00:00Z INFO  worker-7 compiled src/module.ts in 12 ms";
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

let large: readonly PackedMember[] | undefined;

/**
 * An archive with one of everything that a job leaves behind: a report of linked pages, directories in directories, a long log, a
 * file that no compression shrinks, a program, a link, an empty file and a name with spaces and umlauts. The pages carry the title;
 * `more` is added as text, by path.
 */
export function sampleArchive(title: string, more: Readonly<Record<string, string>> = {}): Uint8Array {
  large ??= largeMembers();
  const added = Object.entries(more).map(([path, content]) => text(path, content));
  return writeZip([...smallMembers(title), ...added, ...large]);
}

/** An archive of a few texts. */
export function smallArchive(files: Readonly<Record<string, string>>): Uint8Array {
  return writeZip(Object.entries(files).map(([path, content]) => text(path, content)));
}

/** In the order in which a few workers would be done with them, which is that of no listing. */
function smallMembers(title: string): PackedMember[] {
  return [
    directory("./"),
    directory("coverage/"),
    text("coverage/style.css", "body { font: 1rem sans-serif; }\nh1 { color: seagreen; }\n"),
    text("coverage/index.html", indexPage(title)),
    directory("coverage/src/"),
    member("empty.txt", "", "stored"),
    text("coverage/report.js", 'document.querySelector("#covered").textContent = "97 %";\n'),
    member("coverage/images/pixel.png", Buffer.from(PIXEL, "base64"), "stored"),
    directory("coverage/images/"),
    text("coverage/src/deep/er/module.ts.html", subPage(title, "../../../")),
    text("coverage/src/app.ts.html", subPage(title, "../")),
    text("docs/Größe und Maß (1).txt", "Every name has its place\n"),
    member("bin/run.sh", "#!/bin/sh\necho built\n", "deflated", PROGRAM_MODE),
    member("latest.html", "coverage/index.html", "stored", LINK_MODE),
    text("config/flags.json", `${JSON.stringify({ title, minify: true })}\n`),
  ];
}

function largeMembers(): PackedMember[] {
  const lines: string[] = [];
  for (let number = 0, bytes = 0; bytes < LARGE_BYTES; number++) {
    const line = `${LOG_LINE} (step ${number})\n`;
    lines.push(line);
    bytes += line.length;
  }
  const log = Buffer.from(lines.join("")).subarray(0, LARGE_BYTES);
  const random = Buffer.concat([...pseudoRandomBytes("artifact", LARGE_BYTES)]);
  return [member("data/random.bin", random, "stored"), member("logs/build.log", log, "deflated")];
}

function indexPage(title: string): string {
  return [
    "<!doctype html>",
    '<meta charset="utf-8">',
    `<title>${title}</title>`,
    '<link rel="stylesheet" href="style.css">',
    `<h1>${title}</h1>`,
    '<p><img src="images/pixel.png" alt=""> Covered: <span id="covered">?</span></p>',
    '<ul><li><a href="src/app.ts.html">src/app.ts</a>',
    '<li><a href="src/deep/er/module.ts.html">src/deep/er/module.ts</a></ul>',
    '<script src="report.js"></script>',
    "",
  ].join("\n");
}

function subPage(title: string, up: string): string {
  const links = `<link rel="stylesheet" href="${up}style.css">\n<p><a href="${up}index.html">${title}</a></p>`;
  return `<!doctype html>\n<meta charset="utf-8">\n<title>${title}</title>\n${links}\n`;
}

function text(path: string, content: string): PackedMember {
  return member(path, content, "deflated");
}

function directory(path: string): PackedMember {
  return member(path, "", "stored", DIRECTORY_MODE);
}

function member(
  path: string,
  content: string | Uint8Array,
  method: "stored" | "deflated",
  mode = FILE_MODE,
): PackedMember {
  const mtime = SAMPLE_ARCHIVE_TIME / 1000;
  return packMember({ path, content: Buffer.from(content), method, mode, mtime });
}
