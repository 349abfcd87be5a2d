import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ANONYMOUS,
  credentialHeaders,
  credentialParameters,
  holdsCredential,
  type Principal,
  readPrincipal,
} from "../../src/core/principal.ts";
import type { ForgeKind } from "../../src/core/site.ts";

function read(kind: ForgeKind, headers: Record<string, string>, search = ""): Principal {
  const given = new Headers(headers);
  return readPrincipal(kind, (name) => given.get(name), search);
}

function basic(credentials: string): string {
  return `Basic ${Buffer.from(credentials).toString("base64")}`;
}

/** How smart HTTP takes a credential of somebody. */
function byGit(gitAuthorization: string | undefined): Partial<Principal> {
  return { carriedByGit: gitAuthorization !== undefined, gitAuthorization };
}

type Row = readonly [
  header: string,
  value: string,
  kind: Principal["kind"],
  git: Principal["gitAuthorization"],
];

/** The query parameters in which a forge looks for a credential. */
const CREDENTIAL_PARAMETERS = {
  gitlab: ["private_token", "access_token", "job_token", "token", "sudo"],
  gitea: ["token", "access_token", "sudo"],
} as const;

describe("one credential in a header", () => {
  it.each<Row>([
    ["Private-Token", "glpat-1", "token", basic("oauth2:glpat-1")],
    ["Private-Token", "gl€pat", "token", basic("oauth2:gl€pat")],
    ["Authorization", "Bearer glpat-1", "token", basic("oauth2:glpat-1")],
    ["Authorization", "bearer   glpat-1", "token", basic("oauth2:glpat-1")],
    ["Authorization", basic("me:pass"), "basic", basic("me:pass")],
    ["Authorization", "basic bWU6cGFzcw==", "basic", "basic bWU6cGFzcw=="],
    ["Authorization", "Basic not base64", "basic", "Basic not base64"],
    ["Authorization", "Basic m\u00e9", "basic", "Basic m\u00e9"],
    ["Authorization", "token abc", "other", undefined],
    ["Authorization", "Bearer", "other", undefined],
    ["Authorization", "glpat-1", "other", undefined],
    ["Authorization", "Digest username=me", "other", undefined],
    ["Job-Token", "job-1", "job", basic("gitlab-ci-token:job-1")],
    ["Deploy-Token", "gldt-1", "deploy", undefined],
    ["X-Gitlab-Static-Object-Token", "so-1", "static", undefined],
    ["Cookie", "_gitlab_session=s1", "cookie", undefined],
    ["Cookie", "_gitlab_session_1a2b=s1", "cookie", undefined],
    ["Cookie", "remember_user_token=r1", "cookie", undefined],
  ])("readPrincipal() does read GitLab's %s: %s", (header, value, kind, git) => {
    // Headers of this runtime hold Latin-1 only; a Worker's hold any text.
    const principal = readPrincipal("gitlab", (name) => (name === header.toLowerCase() ? value : null), "");
    expect(principal).toMatchObject({ kind, ...byGit(git), query: [] });
    expect(principal.headers).toEqual([[header.toLowerCase(), value]]);
  });

  it.each<Row>([
    ["Authorization", "token abc", "token", basic("oauth2:abc")],
    ["Authorization", "Token abc", "token", basic("oauth2:abc")],
    ["Authorization", "Bearer abc", "token", basic("oauth2:abc")],
    ["Authorization", basic("me:pass"), "basic", basic("me:pass")],
    ["Authorization", "Signature keyId=1", "other", undefined],
    ["Cookie", "i_like_gitea=s1", "cookie", undefined],
    ["Cookie", "gitea_incredible=r1", "cookie", undefined],
    ["Cookie", "session=s1", "cookie", undefined],
    ["Cookie", "persistent=r1", "cookie", undefined],
  ])("readPrincipal() does read Gitea's %s: %s", (header, value, kind, git) => {
    const principal = read("gitea", { [header]: value });
    expect(principal).toMatchObject({ kind, ...byGit(git), query: [] });
    expect(principal.headers).toEqual([[header.toLowerCase(), value]]);
  });
});

describe("one credential in the query", () => {
  it.each<readonly [ForgeKind, string, Principal["kind"], Principal["gitAuthorization"]]>([
    ["gitlab", "private_token", "token", basic("oauth2:a b")],
    ["gitlab", "access_token", "token", basic("oauth2:a b")],
    ["gitlab", "job_token", "job", basic("gitlab-ci-token:a b")],
    ["gitlab", "token", "static", undefined],
    ["gitea", "token", "token", basic("oauth2:a b")],
    ["gitea", "access_token", "token", basic("oauth2:a b")],
  ])("readPrincipal() does read %s's %s", (kind, name, is, git) => {
    for (const search of [
      `?ref=main&${name}=a%20b`,
      `?${name}=a+b`,
      `?%${name.charCodeAt(0).toString(16)}${name.slice(1)}=a%20b`,
    ]) {
      expect(read(kind, {}, search)).toMatchObject({
        kind: is,
        ...byGit(git),
        headers: [],
        query: [[name, "a b"]],
      });
    }
  });
});

describe("nobody", () => {
  it.each<readonly [ForgeKind, Record<string, string>, string]>([
    ["gitlab", {}, ""],
    ["gitlab", {}, "?"],
    [
      "gitlab",
      { "Private-Token": "", Authorization: "", Cookie: "", "Job-Token": "" },
      "?private_token=&access_token&job_token=",
    ],
    ["gitlab", { Cookie: "theme=dark; _ga=1; experiment" }, ""],
    ["gitlab", { Cookie: "x_gitlab_session=1; remember_user_tokens=1; _gitlab_session" }, ""],
    ["gitlab", { Cookie: ";;; =_gitlab_session" }, ""],
    ["gitlab", { Cookie: "i_like_gitea=1; session=1" }, ""],
    ["gitlab", { "X-Forwarded-User": "root", "X-Api-Key": "1" }, "?utm_source=1&Private_Token=1"],
    ["gitea", { Cookie: "_gitlab_session=1; lang=de; i_like_gitea2=1" }, ""],
    ["gitea", { "Private-Token": "1", "Job-Token": "1" }, "?private_token=1&job_token=1"],
  ])("readPrincipal() does find no credential for %s in %j %j", (kind, headers, search) => {
    expect(read(kind, headers, search)).toEqual(ANONYMOUS);
  });
});

describe("several credentials", () => {
  it.each<readonly [Record<string, string>, string]>([
    [{ "Private-Token": "a", Authorization: "Bearer a" }, ""],
    [{ "Private-Token": "a", Cookie: "_gitlab_session=s" }, ""],
    [{ Authorization: basic("me:pass") }, "?private_token=a"],
    [{}, "?private_token=a&private_token=b"],
    [{}, "?private_token=a&job_token=a"],
    [{ "Job-Token": "a" }, "?job_token=a"],
  ])(
    "readPrincipal() does make one principal of %j and %j, which only the origin can judge",
    (headers, search) => {
      const principal = read("gitlab", headers, search);
      expect(principal).toMatchObject({ kind: "several", ...byGit(undefined) });
      expect(principal.headers).toHaveLength(Object.keys(headers).length);
      expect(principal.query).toEqual([...new URLSearchParams(search)]);
    },
  );

  it("readPrincipal() does send on only the forge's own cookies, in their order", () => {
    const principal = read("gitlab", {
      Cookie: "a=1;remember_user_token=r=; b=2 ; _gitlab_session=s;_gitlab_session=t",
    });
    expect(principal.kind).toBe("cookie");
    expect(principal.headers).toEqual([
      ["cookie", "remember_user_token=r=; _gitlab_session=s; _gitlab_session=t"],
    ]);
  });

  it("readPrincipal() does cope with a credential as long as headers may be", () => {
    expect(read("gitlab", { "Private-Token": "a".repeat(65_536) }).gitAuthorization).toBe(
      basic(`oauth2:${"a".repeat(65_536)}`),
    );
  });
});

describe("the same asker", () => {
  it.each<readonly [string, Record<string, string>, string, Record<string, string>, string]>([
    [
      "cookies of others",
      { Cookie: "_gitlab_session=s" },
      "",
      { Cookie: "theme=dark; _gitlab_session=s" },
      "",
    ],
    ["empty credentials", { "Private-Token": "a" }, "", { "Private-Token": "a", "Job-Token": "" }, "?token="],
    ["other parameters", {}, "?private_token=a", {}, "?ref=main&private_token=a&x=1"],
    ["the order of parameters", {}, "?private_token=a&job_token=b", {}, "?job_token=b&private_token=a"],
    [
      "other headers",
      { "Private-Token": "a" },
      "",
      { "Private-Token": "a", "User-Agent": "x", Range: "bytes=0-1" },
      "",
    ],
  ])("readPrincipal() does disregard %s", (_what, headers, search, otherHeaders, otherSearch) => {
    expect(read("gitlab", headers, search)).toEqual(read("gitlab", otherHeaders, otherSearch));
  });
});

describe("any two requests", () => {
  const value = fc.constantFrom("", "a", "b", "a b", '","', "Bearer a", "token a", "Basic a");
  const given = fc.option(value, { nil: undefined });
  const values = fc.array(value, { maxLength: 2 });
  const request = fc.record({
    headers: fc.record({
      "private-token": given,
      "job-token": given,
      "deploy-token": given,
      "x-gitlab-static-object-token": given,
      authorization: given,
      cookie: fc.option(
        fc.constantFrom("", "_gitlab_session=a", "_gitlab_session=b", "remember_user_token=a", "x=1"),
        { nil: undefined },
      ),
    }),
    query: fc.record({
      private_token: values,
      access_token: values,
      job_token: values,
      token: values,
    }),
  });
  type Request = typeof request extends fc.Arbitrary<infer T> ? T : never;

  const ask = (kind: ForgeKind, { headers, query }: Request): Principal => {
    const search = new URLSearchParams();
    for (const [name, all] of Object.entries(query)) for (const one of all) search.append(name, one);
    const sent = new Map<string, string | undefined>(Object.entries(headers));
    return readPrincipal(kind, (name) => sent.get(name) ?? null, `?${search.toString()}`);
  };
  /** What of a request is a credential at GitLab, told without regard to how it is read. */
  const carried = ({ headers, query }: Request): string =>
    JSON.stringify([
      Object.entries(headers).filter(([, text]) => text !== undefined && text !== "" && text !== "x=1"),
      Object.entries(query).map(([name, all]) => [name, all.filter((one) => one !== "")]),
    ]);

  it("readPrincipal() does give one text exactly to those who sent the same credentials", () => {
    const near = fc.tuple(request, request, fc.boolean()).map(([one, other, half]): [Request, Request] => [
      one,
      half
        ? {
            headers: { ...one.headers, authorization: other.headers.authorization },
            query: one.query,
          }
        : other,
    ]);
    fc.assert(
      fc.property(near, ([one, other]) => {
        expect(ask("gitlab", one).text === ask("gitlab", other).text).toBe(carried(one) === carried(other));
      }),
      { numRuns: 3_000 },
    );
  });

  it("readPrincipal() does send on all that its text covers, and nothing else", () => {
    fc.assert(
      fc.property(fc.constantFrom<ForgeKind>("gitlab", "gitea"), request, (kind, sent) => {
        const principal = ask(kind, sent);
        const text: string[][] = JSON.parse(principal.text || "[]");
        expect(text.map(([, place, ...pair]) => [place, pair])).toEqual([
          ...principal.headers.map((pair) => ["header", pair]),
          ...principal.query.map((pair) => ["query", pair]),
        ]);
        for (const [name] of principal.headers) expect(credentialHeaders(kind)).toContain(name);
        for (const [name] of principal.query) expect(CREDENTIAL_PARAMETERS[kind]).toContain(name);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("where credentials are looked for", () => {
  it.each<readonly [ForgeKind, readonly string[]]>([
    [
      "gitlab",
      [
        "authorization",
        "cookie",
        "private-token",
        "job-token",
        "deploy-token",
        "x-gitlab-static-object-token",
        "sudo",
      ],
    ],
    ["gitea", ["authorization", "cookie", "sudo", "x-gitea-otp"]],
  ])("credentialHeaders() does name those of %s", (kind, headers) => {
    expect(credentialHeaders(kind)).toEqual(headers);
  });
});

describe("a query that may hold a credential", () => {
  it.each<ForgeKind>(["gitlab", "gitea"])("credentialParameters() does name all of %s's", (kind) => {
    expect(credentialParameters(kind).toSorted()).toEqual([...CREDENTIAL_PARAMETERS[kind]].toSorted());
  });

  it.each<ForgeKind>(["gitlab", "gitea"])("holdsCredential() does see every parameter of %s's", (kind) => {
    for (const name of CREDENTIAL_PARAMETERS[kind]) {
      for (const spelled of [name, name.toUpperCase(), `[${name}]`, `${name}[]`, `${name}[a]`, ` ${name}`]) {
        for (const before of ["?", "", "?a=b&", "?a&", "?&", "?a=b;", "?a=b& ", "?a=?&"]) {
          expect(holdsCredential(kind, `${before}${spelled}=s`)).toBe(true);
          expect(holdsCredential(kind, `${before}${spelled}`)).toBe(true);
        }
      }
    }
  });

  it.each([["?%74oken=s"], ["?a=b&%"], ["?pri%76ate_token=s"], ["?scope%5B%5D=failed"], ["?a=b;%61"]])(
    "holdsCredential() does take the name in %s for one: it is escaped",
    (search) => {
      expect(holdsCredential("gitlab", search)).toBe(true);
      expect(holdsCredential("gitea", search)).toBe(true);
    },
  );

  it.each([
    [""],
    ["?"],
    ["?ref=main&page=2"],
    ["?ref=%74oken"],
    ["?ref=token"],
    ["?ref=a?token=s"],
    ["?scope[]=a&"],
  ])("holdsCredential() does see none in %j", (search) => {
    expect(holdsCredential("gitlab", search)).toBe(false);
    expect(holdsCredential("gitea", search)).toBe(false);
  });

  it("holdsCredential() does see whatever is read as one", () => {
    const pieces = "token sudo private_token %74oken t+oken ref & ; = ? % a %3D [ ]".split(" ");
    const search = fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((all) => `?${all.join("")}`);
    let found = 0;
    fc.assert(
      fc.property(search, fc.constantFrom<ForgeKind>("gitlab", "gitea"), (text, kind) => {
        if (read(kind, {}, text).kind === "anonymous") return;
        found++;
        expect(holdsCredential(kind, text)).toBe(true);
      }),
      { numRuns: 3_000 },
    );
    expect(found).toBeGreaterThan(10);
  });

  it("holdsCredential() does read a long query in a moment", () => {
    for (const text of ["?", "&", ";", "a", "tok", "=?"]) {
      expect(holdsCredential("gitlab", `?${text.repeat(100_000)}`)).toBe(false);
    }
  });
});
