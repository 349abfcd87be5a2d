import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ProblemName } from "../../src/core/problem.ts";
import { s3ErrorDocument, s3Status } from "../../src/core/s3-error.ts";
import { PROBLEM_NAMES } from "./problem-names.ts";

/** What XML 1.0 lets stand in a document (§2.2), and in the text of an element (§2.4). */
const CHARACTERS = /^[\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]*$/u;
const TEXT = /^(?:[^<&>]|&(?:amp|lt|gt|quot|apos|#\d+|#x[\dA-Fa-f]+);)*$/;
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function unescapeXml(text: string): string {
  return text
    .replaceAll(/\r\n?/g, "\n") // as a parser reads line ends (§2.11)
    .replaceAll(/&(?:#(\d+)|#x([\dA-Fa-f]+)|(\w+));/g, (_all, decimal?: string, hex?: string, name = "") => {
      if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
      return hex === undefined
        ? (ENTITIES[name as string] ?? "")
        : String.fromCodePoint(Number.parseInt(hex, 16));
    });
}

/** The elements of an error document; fails for what is not well-formed, and for anything but flat elements. */
function parse(document: string): [name: string, text: string][] {
  expect(document).toMatch(CHARACTERS);
  const [, inner] = /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<Error>(.*)<\/Error>$/s.exec(document) ?? [];
  if (inner === undefined) throw new Error(`Not an error document: ${document}`);
  const elements = [...inner.matchAll(/<([A-Za-z][\w-]*)>(.*?)<\/\1>/gs)];
  expect(elements.map(([all]) => all).join("")).toBe(inner);
  return elements.map(([, name = "", text = ""]) => {
    expect(text).toMatch(TEXT);
    return [name, unescapeXml(text)];
  });
}

describe("an error document", () => {
  it("s3ErrorDocument() does write the elements of S3 in its order", () => {
    const document = s3ErrorDocument({
      problem: "not_found",
      message: "Nothing is served here",
      resource: "/b/a&b",
      requestId: "1",
      more: { AWSAccessKeyId: "A" },
    });
    expect(document).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>NoSuchKey</Code><Message>Nothing is served here</Message><AWSAccessKeyId>A</AWSAccessKeyId><Resource>/b/a&amp;b</Resource><RequestId>1</RequestId></Error>',
    );
  });

  it("s3ErrorDocument() does hold any text as text", () => {
    const hostile = fc.constantFrom(
      "</Error>",
      "<!--",
      "]]>",
      "<![CDATA[",
      "&amp;",
      "&#0;",
      "&x;",
      '"',
      "'",
      "\r\n",
      "é😀",
    );
    const text = fc.oneof(
      hostile,
      fc.string({ unit: "grapheme" }),
      fc.tuple(hostile, hostile).map((pair) => pair.join("")),
    );
    fc.assert(
      fc.property(text, text, text, (message, resource, key) => {
        const parts = { problem: "bad_path", message, resource, requestId: "1", more: { Key: key } } as const;
        const elements = parse(s3ErrorDocument(parts));
        expect(elements).toEqual([
          ["Code", "InvalidURI"],
          ["Message", message],
          ["Key", key],
          ["Resource", resource],
          ["RequestId", "1"],
        ]);
      }),
    );
  });

  it("s3ErrorDocument() does stay well-formed whatever it is given", () => {
    const unit = fc.oneof(
      fc.constantFrom(
        "\u0000",
        "\u0008",
        "\u001b",
        "\u007f",
        "\ufffe",
        "\uffff",
        "\ud800",
        "\udc00",
        "<",
        "a",
      ),
      fc.string({ unit: "binary", maxLength: 1 }),
    );
    fc.assert(
      fc.property(fc.array(unit), (units) => {
        const text = units.join("");
        const document = s3ErrorDocument({
          problem: "internal",
          message: text,
          resource: text,
          requestId: text,
        });
        expect(parse(document).map(([name]) => name)).toEqual(["Code", "Message", "Resource", "RequestId"]);
        expect(document.isWellFormed()).toBe(true);
      }),
    );
  });
});

describe("problems as S3 names them", () => {
  it.each(PROBLEM_NAMES.map((name) => [name] as const))(
    "s3ErrorDocument() does have a code for %s",
    (problem) => {
      const document = s3ErrorDocument({ problem, message: "m", resource: "r", requestId: "1" });
      const [first] = parse(document);
      expect(first).toEqual(["Code", expect.stringMatching(/^[A-Z][A-Za-z]+$/)]);
    },
  );

  it.each<[ProblemName, string, number | undefined]>([
    ["signature_malformed", "AuthorizationHeaderMalformed", undefined],
    ["presigned_malformed", "AuthorizationQueryParametersError", undefined],
    ["access_key_unknown", "InvalidAccessKeyId", undefined],
    ["signature_mismatch", "SignatureDoesNotMatch", undefined],
    ["signature_skewed", "RequestTimeTooSkewed", undefined],
    ["signature_expired", "AccessDenied", undefined],
    ["range_not_satisfiable", "InvalidRange", undefined],
    ["precondition_failed", "PreconditionFailed", undefined],
    ["method_not_allowed", "MethodNotAllowed", undefined],
    ["path_too_long", "KeyTooLongError", 400],
  ])("s3ErrorDocument() does call %s %s", (problem, code, status) => {
    expect(s3ErrorDocument({ problem, message: "", resource: "", requestId: "" })).toContain(
      `<Code>${code}</Code>`,
    );
    expect(s3Status(problem)).toBe(status);
  });
});
