import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { browsePage, type BrowseUrls } from "../../../src/core/zip/browse-page.ts";
import { BROWSE_CSP, BROWSE_STYLE } from "../../../src/core/zip/browse-style.ts";
import { compactDirectory } from "../../../src/core/zip/compact-directory.ts";
import { listTree } from "../../../src/core/zip/tree.ts";
import { uriEncodePath } from "../../../src/core/uri-encode.ts";
import { memberOf } from "../../zip/member-of.ts";

const urls: BrowseUrls = {
  file: (path) => `/file/${uriEncodePath(path)}`,
  directory: (path, page) => `/browse/${uriEncodePath(path)}?page=${page}`,
  download: (path, format) => `/browse/${uriEncodePath(path)}?format=${format}&all="1"`,
  archive: "/download",
};

type Given = Parameters<typeof memberOf>[0];

function pageOf(members: readonly Given[], path = "", page = 1, title = "job 42"): string {
  const listing = listTree(compactDirectory(members.map(memberOf)), path, false);
  if (listing.kind !== "items") throw new Error(`Listing is ${listing.kind}`);
  return browsePage({ title, listing, page, urls });
}

/** Text between tags, as a reader sees it. */
function textOf(html: string): string {
  const entities: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"', "#39": "'" };
  return html.replace(/<[^>]*>/g, "").replace(/&([^;]+);/g, (_, name: string) => entities[name] ?? "?");
}

/** The first cell of each row. */
function namesOf(html: string): string[] {
  const body = html.slice(html.indexOf("<tbody>"), html.indexOf("</tbody>"));
  return Array.from(body.matchAll(/<th scope="row"[^>]*>(.*?)<td/g), ([, cell = ""]) => textOf(cell));
}

function hrefsOf(html: string): string[] {
  return Array.from(html.matchAll(/href="([^"]*)"/g), ([, url = ""]) => url.replaceAll("&amp;", "&"));
}

function numbered(count: number, at = ""): Given[] {
  return Array.from({ length: count }, (_, index) => ({ path: `${at}f${index}`, size: 1 }));
}

describe("rows", () => {
  it("browsePage() does put directories first, and sort as people do", () => {
    const paths = ["part-10", "part-2", "Zeta", "alpha", "dir-10/x", "dir-2/x", "Émile"];
    const html = pageOf(paths.map((path) => ({ path })));
    expect(namesOf(html)).toEqual(["dir-2/", "dir-10/", "alpha", "Émile", "part-2", "part-10", "Zeta"]);
  });

  it("browsePage() does write size, time and mode, and the size to the byte", () => {
    const html = pageOf([{ path: "a.log", size: 1_234_567, mtime: 1_795_158_000, mode: 0o754 }]);
    expect(html).toContain('<td class="n" title="1,234,567 bytes">1.2 MiB');
    expect(html).toContain('<time datetime="2026-11-20T07:00:00Z">2026-11-20<i> 07:00</i></time>');
    expect(html).toContain('<td class="m">rwxr-xr--');
  });

  it.each([0, -1, 253_402_300_800, Number.MAX_SAFE_INTEGER, Number.NaN])(
    "browsePage() does leave out a time that none can be, %d",
    (mtime) => {
      expect(pageOf([{ path: "a", mtime }])).not.toContain("<time");
    },
  );

  it("browsePage() does link files, directories and links, and say which is a link", () => {
    const html = pageOf([
      { path: "a b.txt" },
      { path: "dir/x" },
      { path: "link", type: "symlink", mode: 0o777 },
    ]);
    expect(hrefsOf(html)).toEqual(
      expect.arrayContaining(["/file/a%20b.txt", "/browse/dir/?page=1", "/file/link"]),
    );
    expect(namesOf(html)).toEqual(["dir/", "a b.txt", "linkSymbolic link"]);
  });

  it("browsePage() does strike out what is not served, say why, and not link it", () => {
    const html = pageOf([
      { path: "secret", problem: "entry_encrypted" },
      { path: "../out", problem: "name_escapes" },
    ]);
    expect(namesOf(html)).toEqual(["../Entry's name leads out of the archive", "secretEntry is encrypted"]);
    expect(html).toContain("<s><bdi>secret</bdi></s>");
    expect(hrefsOf(html).filter((url) => /secret|\.\./.test(url))).toEqual([]);
  });

  it("browsePage() does say so where there is nothing", () => {
    expect(pageOf([])).toContain("Nothing is in here");
    expect(pageOf([{ path: "dir/" }], "dir")).toContain(
      'href="/browse/?page=1" aria-label="Parent directory"',
    );
  });
});

describe("around the table", () => {
  const members = [{ path: "a/b/c/x", size: 1500 }, { path: "a/b/c/y", size: 36 }, { path: "a/b/c/d/z" }];

  it("browsePage() does lead to every directory above, and to no further than is asked", () => {
    const html = pageOf(members, "a/b/c");
    const nav = /<nav aria-label="Breadcrumbs">.*?<\/nav>/.exec(html)?.[0] ?? "";
    expect(hrefsOf(nav)).toEqual(["/browse/?page=1", "/browse/a/?page=1", "/browse/a/b/?page=1"]);
    expect(nav).toContain('<li aria-current="page"><h1><bdi>c</bdi></h1></li>');
    expect(html).toContain("<title>a/b/c/ - job 42</title>");
    expect(html).toContain('href="/browse/a/b/?page=1" aria-label="Parent directory"');
  });

  it("browsePage() does leave out the middle of a path that is very deep", () => {
    const deep = "d/".repeat(2000);
    const html = pageOf([{ path: `${deep}x` }], deep);
    expect(html.length).toBeLessThan(200_000);
    expect(html.match(/<li>\u2026<\/li>/g)).toHaveLength(1);
    expect(html.match(/<li/g)).toHaveLength(1 + 1 + 20 + 1);
  });

  it.each([
    ["a/b/c", "1 directory, 2 files, 1.5 KiB", "1,536 bytes"],
    ["", "1 directory, 0 files, 0 B", "0 bytes"],
  ])("browsePage() does add up what is right below %j", (path, text, exact) => {
    const html = pageOf(members, path);
    expect(textOf(html)).toContain(text);
    expect(html).toContain(`title="${exact}"`);
  });

  it.each([
    ["a/b/c", ["Directory as zip", "Directory as tar", "Whole archive"]],
    ["", ["Whole archive", "All as tar"]],
  ])("browsePage() does offer to download %j", (path, names) => {
    const nav = /<nav aria-label="Downloads">.*?<\/nav>/.exec(pageOf(members, path))?.[0] ?? "";
    expect(Array.from(nav.matchAll(/<a [^>]*>([^<]*)/g), ([, name]) => name)).toEqual(names);
    expect(nav).toContain('href="/download"');
    expect(nav).toContain("?format=tar&amp;all=&quot;1&quot;");
  });

  it("browsePage() does call the table's columns and contents by name", () => {
    const html = pageOf(members, "a/b/c");
    expect(html).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(html).toContain("<caption>Contents of a/b/c/</caption>");
    expect(html.match(/<th scope="col"/g)).toHaveLength(4);
    expect(html).toContain('name="viewport" content="width=device-width,initial-scale=1"');
  });
});

describe("pages", () => {
  const members = numbered(2_500, "dir/");

  it.each([
    [1, 1, "f0", ["/browse/dir/?page=2"]],
    [2, 2, "f1000", ["/browse/dir/?page=1", "/browse/dir/?page=3"]],
    [3, 3, "f2000", ["/browse/dir/?page=2"]],
    [99, 3, "f2000", ["/browse/dir/?page=2"]],
    [0, 1, "f0", ["/browse/dir/?page=2"]],
  ])("browsePage() does show, asked for page %i, page %i", (asked, page, first, around) => {
    const html = pageOf(members, "dir", asked);
    const nav = /<nav aria-label="Pages">.*?<\/nav>/.exec(html)?.[0] ?? "";
    expect(textOf(nav)).toContain(`Page ${page} of 3`);
    expect(hrefsOf(nav)).toEqual(around);
    expect(namesOf(html)[1]).toBe(first);
    expect(textOf(html)).toContain("0 directories, 2,500 files");
  });

  it("browsePage() does need no pages for a thousand", () => {
    const html = pageOf(numbered(1_000));
    expect(namesOf(html)).toHaveLength(1_000);
    expect(html).not.toContain('aria-label="Pages"');
  });

  it("browsePage() does leave very many in the order of their bytes", () => {
    expect(namesOf(pageOf(numbered(10_001))).slice(0, 3)).toEqual(["f0", "f1", "f10"]);
    expect(namesOf(pageOf(numbered(10_000))).slice(0, 3)).toEqual(["f0", "f1", "f2"]);
  });
});

describe("style", () => {
  const hash = createHash("sha256").update(BROWSE_STYLE).digest("base64");

  it("BROWSE_CSP does allow the style of the page, and nothing else", () => {
    expect(BROWSE_CSP.match(/style-src ([^;]*)/)?.[1]).toBe(`'sha256-${hash}'`);
    expect(BROWSE_CSP).toMatch(/^default-src 'none'; /);
    expect(BROWSE_CSP).not.toContain("unsafe");
    expect(pageOf([])).toContain(`<style>${BROWSE_STYLE}</style>`);
    expect(pageOf([])).not.toMatch(/ style=|<script|<link| on\w+=/);
  });

  it("BROWSE_STYLE does stay small", () => {
    expect(BROWSE_STYLE.length).toBeLessThan(2_560);
  });

  /** WCAG 2.2 "relative luminance" and "contrast ratio". */
  function contrast(a: string, b: string): number {
    const [light = 0, dark = 0] = [a, b].map(luminance).toSorted((x, y) => y - x);
    return (light + 0.05) / (dark + 0.05);
  }

  function luminance(color: string): number {
    const digits = color.length === 4 ? color.replaceAll(/[^#]/g, "$&$&") : color;
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
      const value = Number.parseInt(digits.slice(at, at + 2), 16) / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  }

  const themes = Array.from(BROWSE_STYLE.matchAll(/:root\{([^}]*)\}/g), ([, body = ""]) =>
    Object.fromEntries(Array.from(body.matchAll(/--(\w+):(#[\da-f]+)/g), ([, name, value]) => [name, value])),
  );

  it.each([
    ["light", 0],
    ["dark", 1],
  ])("BROWSE_STYLE does set %s text off from what is behind it (WCAG 2.2 §1.4.3)", (_, index) => {
    const colors = themes[index] as Record<string, string>;
    const ratios = ["fg", "dim", "link", "bad"].flatMap((text) =>
      ["bg", "alt"].map((behind) => contrast(colors[text] ?? "#000", colors[behind] ?? "#000")),
    );
    expect(Math.min(...ratios)).toBeGreaterThanOrEqual(4.5);
  });
});

describe("hostile names", () => {
  const shape = pageOf([{ path: "dir/name" }], "dir");

  /** Tags, in order, without their attributes' values. */
  function tagsOf(html: string): string[] {
    return Array.from(html.matchAll(/<[^>]*>/g), ([tag]) => tag.replaceAll(/"[^"]*"/g, '""'));
  }

  it.each([
    "<script>alert(1)</script>",
    `"><img src=x onerror=alert(1)>`,
    "'onmouseover='alert(1)",
    "</title></style></table><h1>",
    "<!--",
    "&lt;script&gt;",
    "]]>",
    "javascript:alert(1)",
    "\u202Egnp.exe",
    "a\nb\r\n\0\u0085\u2028",
    "n".repeat(4_000),
  ])("browsePage() does show %j as text and nothing more", (name) => {
    const html = pageOf([{ path: `dir/${name.replaceAll("/", "_")}` }], "dir", 1, name);
    expect(tagsOf(html)).toEqual(tagsOf(shape));
    expect(namesOf(html)).toHaveLength(2);
    expect(html).not.toMatch(/[\0\r\u0085\u202e\u2028]/);
  });

  it("browsePage() does keep its shape, and show every name, whatever it is called", () => {
    const name = fc
      .string({
        unit: fc.oneof(
          fc.constantFrom(...Array.from("<>&\"'=-!;\n\u202e")),
          fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
        ),
        minLength: 1,
      })
      .map((text) => text.replaceAll("/", "_"));
    fc.assert(
      fc.property(name, (hostile) => {
        const html = pageOf([{ path: `dir/${hostile}` }], "dir");
        expect(tagsOf(html)).toEqual(tagsOf(shape));
        const shown = namesOf(html)[1] ?? "";
        const read = shown.replaceAll(/\[U\+([\dA-F]{4})\]/g, (_, code: string) =>
          String.fromCharCode(Number.parseInt(code, 16)),
        );
        expect(read).toBe(hostile);
      }),
      { numRuns: 100 },
    );
  });
});
