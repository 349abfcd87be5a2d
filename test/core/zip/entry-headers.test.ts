import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { uriDecode } from "../../../src/core/uri-encode.ts";
import { entryHeaders, sharingHeaders } from "../../../src/core/zip/entry-headers.ts";

const FILES = "https://git.example.com/g/p/-/jobs/1/artifacts/";

type Arguments = Parameters<typeof entryHeaders>;

function fieldsOf(
  path: string,
  mediaType: Arguments[1] = "text/html",
  disposition: Arguments[2]["disposition"] = "inline",
): Record<string, string> {
  const headers = entryHeaders(path, mediaType, { disposition, files: FILES });
  const fields = Object.fromEntries(headers);
  expect(Object.keys(fields)).toHaveLength(headers.length);
  return fields;
}

describe("Content-Type", () => {
  it.each([
    [undefined, "application/octet-stream"],
    ["text/html", "text/html; charset=utf-8"],
    ["text/css", "text/css; charset=utf-8"],
    ["application/json", "application/json; charset=utf-8"],
    ["application/ld+json", "application/ld+json; charset=utf-8"],
    ["application/javascript", "application/javascript; charset=utf-8"],
    ["text/javascript", "text/javascript; charset=utf-8"],
    ["application/xml", "application/xml; charset=utf-8"],
    ["image/svg+xml", "image/svg+xml; charset=utf-8"],
    ["Text/HTML", "Text/HTML; charset=utf-8"],
    ["text/plain; charset=iso-8859-1", "text/plain; charset=iso-8859-1"],
    ["image/png", "image/png"],
    ["font/woff2", "font/woff2"],
    ["application/wasm", "application/wasm"],
    ["", "application/octet-stream"],
    ["text", "application/octet-stream"],
    ["text/html\r\nSet-Cookie: a=b", "application/octet-stream"],
    ["text/html, text/plain", "application/octet-stream"],
  ])("entryHeaders() does turn %j into %j", (mediaType, contentType) => {
    expect(fieldsOf("file", mediaType)["Content-Type"]).toBe(
      mediaType === undefined ? "text/html; charset=utf-8" : contentType,
    );
    expect(entryHeaders("file", mediaType, { disposition: "inline", files: FILES })[0]).toEqual([
      "Content-Type",
      contentType,
    ]);
  });
});

describe("Content-Disposition", () => {
  it.each([
    ["report.html", `filename="report.html"`],
    ["a/b/report.html", `filename="report.html"`],
    ["a/", `filename="download"`],
    ["two words.txt", `filename="two words.txt"`],
    [`qu"ote\\d.txt`, `filename="qu_ote_d.txt"; filename*=UTF-8''qu%22ote%5Cd.txt`],
    ["100%25.txt", `filename="100_25.txt"; filename*=UTF-8''100%2525.txt`],
    ["naïve.txt", `filename="na_ve.txt"; filename*=UTF-8''na%C3%AFve.txt`],
    ["😀.png", `filename="_.png"; filename*=UTF-8''%F0%9F%98%80.png`],
    ["it's (1)*.txt", `filename="it's (1)*.txt"`],
    ["é's (1)*", `filename="_'s (1)*"; filename*=UTF-8''%C3%A9%27s%20%281%29%2A`],
    ["a\r\nX-Evil: 1.txt", `filename="a__X-Evil: 1.txt"`],
    ["cod\u202egpj.exe", `filename="cod_gpj.exe"`],
    ["half\ud800", `filename="half_"; filename*=UTF-8''half%EF%BF%BD`],
  ])("entryHeaders() does name %j %s", (path, name) => {
    expect(fieldsOf(path)["Content-Disposition"]).toBe(`inline; ${name}`);
    const saved = fieldsOf(path, "text/html", "attachment");
    expect(saved["Content-Disposition"]).toBe(`attachment; ${name}`);
  });

  it("entryHeaders() does write any name as fields that a header can have, and that can be read back", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (path) => {
        const value = fieldsOf(path)["Content-Disposition"] ?? "";
        const [, plain, whole] =
          /^inline; filename="([ -~]*)"(?:; filename\*=UTF-8''([\w.~%-]+))?$/.exec(value) ?? [];
        expect(plain).toMatch(/^[^"\\%]+$/);
        const name = whole === undefined ? plain : uriDecode(whole);
        expect(name).not.toMatch(/[/\p{Cc}\p{Bidi_Control}]/u);
        expect(name?.length).toBeLessThanOrEqual(200);
      }),
      { numRuns: 100 },
    );
  });

  it("entryHeaders() does keep the end of a name that is too long", () => {
    const value = fieldsOf(`${"é".repeat(4096)}.html`)["Content-Disposition"];
    expect(value).toMatch(/"_{195}\.html"; .*%C3%A9\.html$/);
  });
});

describe("safety", () => {
  const policy = new Map(
    (fieldsOf("a")["Content-Security-Policy"] ?? "").split("; ").map((directive) => {
      const [name = "", ...values] = directive.split(" ");
      return [name, values];
    }),
  );

  it("entryHeaders() does shut what it shows in a sandbox that is not of this origin", () => {
    expect(policy.get("sandbox")).toEqual(["allow-scripts"]);
  });

  it.each(["default-src", "connect-src", "object-src", "base-uri", "form-action"])(
    "entryHeaders() does allow no %s at all",
    (directive) => {
      expect(policy.get(directive)).toEqual(["'none'"]);
    },
  );

  it.each(["script-src", "style-src", "img-src", "font-src", "media-src", "frame-src"])(
    "entryHeaders() does allow a report its own %s, and nothing else of any host",
    (directive) => {
      const sources = policy.get(directive) ?? [];
      expect(sources).toEqual(expect.arrayContaining([FILES, "data:", "blob:"]));
      const others = sources.filter(
        (source) => source !== FILES && !/^'unsafe-(?:inline|eval)'$|^(?:data|blob):$/.test(source),
      );
      expect(others).toEqual([]);
    },
  );

  it("entryHeaders() does let no browser guess a type or tell where it was", () => {
    expect(fieldsOf("a", "text/css")).toMatchObject({
      "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "no-referrer",
    });
  });

  it.each([
    [true, { "Cross-Origin-Resource-Policy": "cross-origin", "Access-Control-Allow-Origin": "*" }],
    [false, { "Cross-Origin-Resource-Policy": "same-origin" }],
  ])("sharingHeaders() does let other sites use what anyone may read (%s)", (isForAnyone, fields) => {
    expect(Object.fromEntries(sharingHeaders(isForAnyone))).toEqual(fields);
  });
});
