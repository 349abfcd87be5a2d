import { BROWSE_STYLE } from "./browse-style.ts";
import { escapeHtml, visibleName } from "../html-text.ts";
import { humanSize } from "../human-size.ts";
import { ZIP_PROBLEMS } from "./problems.ts";
import { directoriesFirst, type TreePage } from "./tree-page.ts";
import type { TreeItem, TreeListing } from "./tree.ts";

/** Where the page's links lead; paths are those of items, and the root's is empty. */
export type BrowseUrls = {
  file(path: string): string;
  directory(path: string, page: number): string;
  /** Of a directory and all below it. */
  download(path: string, format: "zip" | "tar"): string;
  /** The archive as it is. */
  readonly archive: string;
};

export type Browsed = {
  /** What the archive is called: the root of the breadcrumbs. */
  readonly title: string;
  /** What is right below a directory. */
  readonly listing: TreeListing;
  /** Counts from 1; one that is past the end is the last one. */
  readonly page: number;
  readonly urls: BrowseUrls;
};

const PAGE_ITEMS = 1_000;

/** Longer listings stay in the order of their bytes: sorting them would take longer than reading them. */
const SORTED_ITEMS = 10_000;

/** Directories above the one that is shown, besides the root; each has all those above it in its link. */
const MOST_CRUMBS = 20;

/** The last second that an ISO date has four digits of the year for. */
const MAX_TIME = 253_402_300_799;

/** Classes of the style. */
const SHAPES = { file: "", directory: "d", symlink: "l" } as const satisfies Record<TreeItem["type"], string>;

const NATURAL = new Intl.Collator("en", { numeric: true });
const NUMBER = new Intl.NumberFormat("en");

/** A directory of an archive as a page for people: HTML that needs no script, to be sent with `BROWSE_CSP`. */
export function browsePage({ title, listing, page: asked, urls }: Browsed): string {
  const sorted = naturally(listing.items) ?? listing.items;
  let page = Math.max(asked, 1);
  let shown = pageOf(sorted, page);
  const pages = Math.max(Math.ceil((shown.directories + shown.files) / PAGE_ITEMS), 1);
  if (page > pages) {
    page = pages;
    shown = pageOf(sorted, page);
  }
  const { path } = listing;
  const rows = shown.items.map((item) => row(item, urls));
  if (path !== "") rows.unshift(parentRow(path, urls));
  const name = path === "" ? title : `${path} - ${title}`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex">
<title>${shownText(name)}</title>
<style>${BROWSE_STYLE}</style>
<header>
${breadcrumbs(title, path, urls)}
<div class="bar">
<p>${summary(shown)}</p>
${downloads(path, urls)}
</div>
</header>
<main>
${table(path === "" ? title : path, rows)}
${pageLinks(path, page, pages, urls)}
</main>
</html>
`;
}

function pageOf(items: Iterable<TreeItem>, page: number): TreePage {
  return directoriesFirst(items, (page - 1) * PAGE_ITEMS, page * PAGE_ITEMS);
}

/** Items by name as people sort, 2 before 10; `undefined` where there are too many. */
function naturally(items: Iterable<TreeItem>): readonly TreeItem[] | undefined {
  const all: TreeItem[] = [];
  for (const item of items) {
    if (all.length === SORTED_ITEMS) return undefined;
    all.push(item);
  }
  return all.toSorted((a, b) => NATURAL.compare(a.name, b.name));
}

function shownText(text: string): string {
  return escapeHtml(visibleName(text));
}

function link(url: string, inner: string, attributes = ""): string {
  return `<a href="${escapeHtml(url)}"${attributes}>${inner}</a>`;
}

function breadcrumbs(title: string, path: string, urls: BrowseUrls): string {
  const names = path.split("/").slice(0, -1);
  const crumbs = [title, ...names].map((name, depth) => {
    const text = `<bdi>${named(name)}</bdi>`;
    if (depth === names.length) return `<li aria-current="page"><h1>${text}</h1></li>`;
    const left = names.length - depth;
    if (depth > 0 && left > MOST_CRUMBS) return left === MOST_CRUMBS + 1 ? "<li>\u2026</li>" : "";
    const above = names.slice(0, depth).map((each) => `${each}/`);
    return `<li>${link(urls.directory(above.join(""), 1), text)}</li>`;
  });
  return `<nav aria-label="Breadcrumbs"><ol>${crumbs.join("")}</ol></nav>`;
}

function named(name: string): string {
  return name === "" ? "(no name)" : shownText(name);
}

function summary({ directories, files, bytes }: TreePage): string {
  const size = `<span title="${exactly(bytes)}">${humanSize(bytes)}</span>`;
  return `${counted(directories, "directory", "directories")}, ${counted(files, "file", "files")}, ${size}`;
}

function counted(count: number, one: string, many: string): string {
  return `${NUMBER.format(count)} ${count === 1 ? one : many}`;
}

function downloads(path: string, urls: BrowseUrls): string {
  const archive = link(urls.archive, "Whole archive");
  const formats = (["zip", "tar"] as const).map((format) =>
    link(urls.download(path, format), path === "" ? `All as ${format}` : `Directory as ${format}`),
  );
  // The root as a zip would be the archive once more, with less in it.
  const links = path === "" ? [archive, ...formats.slice(1)] : [...formats, archive];
  return `<nav aria-label="Downloads"><p>${links.join("")}</p></nav>`;
}

function table(caption: string, rows: readonly string[]): string {
  const body = rows.length === 0 ? `<tr><td colspan="4">Nothing is in here` : rows.join("\n");
  return `<table>
<caption>Contents of ${shownText(caption)}</caption>
<thead><tr><th scope="col">Name<th scope="col" class="n">Size<th scope="col">Modified<i> (UTC)</i><th scope="col" class="m">Mode</thead>
<tbody>
${body}
</tbody>
</table>`;
}

function parentRow(path: string, urls: BrowseUrls): string {
  const parent = path.slice(0, path.lastIndexOf("/", path.length - 2) + 1);
  const up = link(urls.directory(parent, 1), "..", ' aria-label="Parent directory"');
  return `<tr><th scope="row" class="d">${up}<td class="n"><td><td class="m">`;
}

function row(item: TreeItem, urls: BrowseUrls): string {
  const { size, mtime, mode } = item;
  const permissions = mode === undefined ? "" : permissionText(mode);
  return `<tr>${nameCell(item, urls)}${sizeCell(size)}<td>${time(mtime)}<td class="m">${permissions}`;
}

function sizeCell(size: number | undefined): string {
  if (size === undefined) return `<td class="n">`;
  return `<td class="n" title="${exactly(size)}">${humanSize(size)}`;
}

function exactly(bytes: number): string {
  return counted(bytes, "byte", "bytes");
}

function nameCell({ name, path, type, problem }: TreeItem, urls: BrowseUrls): string {
  const isDirectory = type === "directory";
  const classes = [SHAPES[type], problem === undefined ? "" : "b"].join(" ").trim();
  const start = classes === "" ? `<th scope="row">` : `<th scope="row" class="${classes}">`;
  const text = `<bdi>${named(name)}</bdi>${isDirectory ? "/" : ""}`;
  if (problem !== undefined)
    return `${start}<s>${text}</s><small>${escapeHtml(ZIP_PROBLEMS[problem][1])}</small>`;
  const url = isDirectory ? urls.directory(path, 1) : urls.file(path);
  return `${start}${link(url, text)}${type === "symlink" ? "<small>Symbolic link</small>" : ""}`;
}

function time(mtime: number): string {
  const isKnown = mtime > 0 && mtime <= MAX_TIME;
  if (!isKnown) return "";
  const iso = new Date(mtime * 1000).toISOString();
  return `<time datetime="${iso.slice(0, 19)}Z">${iso.slice(0, 10)}<i> ${iso.slice(11, 16)}</i></time>`;
}

/** As `ls -l` writes permission bits: `rwxr-xr-x`. */
function permissionText(mode: number): string {
  return Array.from("rwxrwxrwx", (letter, index) => ((mode >> (8 - index)) & 1 ? letter : "-")).join("");
}

function pageLinks(path: string, page: number, pages: number, urls: BrowseUrls): string {
  if (pages === 1) return "";
  const previous = page === 1 ? "" : link(urls.directory(path, page - 1), "Previous", ' rel="prev"');
  const next = page === pages ? "" : link(urls.directory(path, page + 1), "Next", ' rel="next"');
  const position = `<span>Page ${NUMBER.format(page)} of ${NUMBER.format(pages)}</span>`;
  return `<nav aria-label="Pages"><p class="p">${previous}${position}${next}</p></nav>`;
}
