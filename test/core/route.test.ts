import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeKey } from "../../src/core/key.ts";
import { readPrincipal } from "../../src/core/principal.ts";
import { questionFor, revisionName } from "../../src/core/question.ts";
import { route } from "../../src/core/route.ts";
import type { SiteKind } from "../../src/core/site.ts";
import { PASS } from "../../src/core/target.ts";

/** The query parameters in which a forge looks for a credential. */
const CREDENTIAL_PARAMETERS = {
  gitlab: ["private_token", "access_token", "job_token", "token", "sudo"],
  gitea: ["token", "access_token", "sudo"],
} as const;

const PATH_BYTES = 4096;

function routeOf(kind: SiteKind, method: string, path: string, search: string, pathBytes: number) {
  return route(
    kind,
    { method, path, search, bucket: undefined, corsOrigin: undefined, scheme: "https:" },
    pathBytes,
  );
}

const FILES = [
  ["gitlab", "/g/p/-/raw/main/a"],
  ["gitlab", "/api/v4/projects/1/repository/files/a/raw"],
  ["gitea", "/g/p/raw/branch/main/a"],
  ["gitea", "/api/v1/repos/g/p/raw/a"],
] as const satisfies [SiteKind, string][];

describe("the grammar of a site", () => {
  it.each(FILES)("route() does claim %s's %s for GET and HEAD alone", (kind, pathname) => {
    for (const method of ["GET", "HEAD"]) {
      expect(routeOf(kind, method, pathname, "", PATH_BYTES).kind).toBe("target");
    }
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "PROPFIND", "get", ""]) {
      expect(routeOf(kind, method, pathname, "", PATH_BYTES)).toEqual(PASS);
    }
  });

  it("route() does read each site by its own forge", () => {
    expect(routeOf("gitea", "GET", "/g/p/-/raw/main/a", "", PATH_BYTES)).toEqual(PASS);
    expect(routeOf("gitlab", "GET", "/g/p/media/branch/main/a", "", PATH_BYTES)).toEqual(PASS);
  });
});

describe("a long path", () => {
  it.each(FILES)("route() does refuse a name of 10 kB at %s's %s", (kind, pathname) => {
    const long = pathname.replace(/a(?=$|\/raw$)/, "a".repeat(10_000));
    expect(routeOf(kind, "GET", long, "", PATH_BYTES)).toEqual({
      kind: "refused",
      problem: "path_too_long",
    });
  });

  it("route() does count to the byte", () => {
    const pathname = "/g/p/-/raw/main/a";
    expect(routeOf("gitlab", "GET", pathname, "", pathname.length).kind).toBe("target");
    expect(routeOf("gitlab", "GET", pathname, "", pathname.length - 1).kind).toBe("refused");
  });

  it("route() does leave what is no file to the origin, however long", () => {
    expect(routeOf("gitlab", "GET", `/${"a/".repeat(5_000)}b`, "", PATH_BYTES)).toEqual(PASS);
  });

  it("route() does call a hostile path hostile, however long", () => {
    const long = `/g/p/-/raw/main/${"a/".repeat(5_000)}..`;
    expect(routeOf("gitlab", "GET", long, "", PATH_BYTES)).toEqual({
      kind: "refused",
      problem: "bad_path",
    });
  });
});

describe("a credential", () => {
  const SECRET = "s3cret";

  it.each(FILES)("route() does not read it as part of what %s's %s asks for", (kind, pathname) => {
    const parameters = fc.subarray([...CREDENTIAL_PARAMETERS[kind], "utm_source", "x"], {
      minLength: 1,
    });
    fc.assert(
      fc.property(parameters, (names) => {
        const search = `?${names.map((name) => `${name}=${SECRET}`).join("&")}`;
        const plain = routeOf(kind, "GET", pathname, "", PATH_BYTES);
        expect(routeOf(kind, "GET", pathname, search, PATH_BYTES)).toEqual(plain);
      }),
    );
  });

  it.each(FILES)("revisionName() does not write it into the key of %s's %s", (kind, pathname) => {
    const search = `?${CREDENTIAL_PARAMETERS[kind].map((name) => `${name}=${SECRET}`).join("&")}`;
    const found = routeOf(kind, "GET", pathname, search, PATH_BYTES);
    if (found.kind !== "target" || found.target.lane !== "raw") throw new Error("Not a file");
    for (const query of ["", search]) {
      const principal = readPrincipal(
        kind,
        (name) => (query === "" && name === "authorization" ? `Bearer ${SECRET}` : null),
        query,
      );
      expect(principal.text).toContain(SECRET);
      const name = revisionName(questionFor(kind, principal, found.target, 1), found.target) ?? [];
      expect(makeKey("revision", found.target.project, ...name)).not.toContain(SECRET);
    }
  });
});
