import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SITE_KINDS, type SiteKind } from "../../src/core/site.ts";
import { hookProof } from "../../workers/hook-proof.ts";

const NOW_S = 1_614_265_330;
const SECRET = "a secret of sixteen";
/** An "é" takes two bytes of UTF-8, a "中" is no character of Latin-1. */
const FOREIGN = ["gehéim-gehéim-gehéim", "秘密-中-秘密-中-秘密-中-秘密"];
const BODY = Buffer.from('{"test": 2432232314}');

type Fields = Readonly<Record<string, string>>;

/** How it ends for a delivery with this body. */
function proof(kind: SiteKind, fields: Fields, { secret = SECRET, body = BODY, now = NOW_S * 1000 } = {}) {
  const answer = hookProof(secret, () => now)(kind, (name) => fields[name] ?? null);
  return answer.kind === "needs body" ? `${answer.prove(body) ? "proven" : "refused"} by body` : answer.kind;
}

/** What a runtime makes of a field's bytes that reads each as one character. */
function asLatin1(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

function basic(user: string, password: string): Fields {
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}` };
}

describe("GitLab's token", () => {
  it.each([SECRET, ...FOREIGN])("hookProof() does take %j for itself", (secret) => {
    for (const text of [secret, asLatin1(secret)])
      expect(proof("gitlab", { "x-gitlab-token": text }, { secret })).toBe("proven");
  });

  it.each([
    [{}],
    [{ "x-gitlab-token": "" }],
    [{ "x-gitlab-token": SECRET.slice(1) }],
    [{ "x-gitlab-token": `${SECRET} ` }],
    [{ "x-gitlab-token": SECRET.toUpperCase() }],
    [{ "x-gitea-signature": SECRET }],
    [{ authorization: `Bearer ${SECRET}` }],
  ])("hookProof() does refuse %j from the headers alone", (fields: Fields) => {
    expect(proof("gitlab", fields)).toBe("refused");
  });

  it("hookProof() does refuse all where the secret is empty", () => {
    const fields = { "x-gitlab-token": "", "x-gitea-signature": hex("", BODY), authorization: "" };
    for (const kind of SITE_KINDS) expect(proof(kind, fields, { secret: "" })).toBe("refused");
  });
});

describe("GitLab's signature", () => {
  /** The test vector that the libraries of Standard Webhooks publish. */
  const VECTOR = {
    secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    fields: {
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    },
  };
  const { secret, fields } = VECTOR;

  function signed(id: string, timestamp: string, body: Uint8Array, key = secret): Fields {
    const hmac = createHmac("sha256", Buffer.from(key.slice("whsec_".length), "base64"));
    const signature = hmac.update(`${id}.${timestamp}.`).update(body).digest("base64");
    return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
  }

  it("hookProof() does take the published test vector, which is what node:crypto makes of it", () => {
    expect(signed(fields["webhook-id"], fields["webhook-timestamp"], BODY)).toEqual(fields);
    expect(proof("gitlab", fields, { secret })).toBe("proven by body");
  });

  it.each([
    [
      "one of several",
      { ...fields, "webhook-signature": `v1,${"A".repeat(43)}= v1a,x ${fields["webhook-signature"]}` },
    ],
    ["one five minutes old", signed("a", String(NOW_S - 300), BODY)],
    ["one five minutes ahead", signed("a", String(NOW_S + 300), BODY)],
    ["one with a wrong token beside it", { ...fields, "x-gitlab-token": "wrong" }],
  ])("hookProof() does take %s", (_case, sent) => {
    expect(proof("gitlab", sent, { secret })).toBe("proven by body");
  });

  const tokens = { "x-gitlab-token": secret };

  it.each<[string, Fields]>([
    ["a token alone", tokens],
    ["one without an id", { ...tokens, ...fields, "webhook-id": "" }],
    ["an id that could be cut elsewhere", { ...tokens, ...signed("a.1", String(NOW_S), BODY) }],
    ["one without a time", { ...tokens, ...fields, "webhook-timestamp": "" }],
    ["a time that is none", { ...tokens, ...signed("a", "1614265330.0", BODY) }],
    ["a time in milliseconds", { ...tokens, ...signed("a", String(NOW_S * 1000), BODY) }],
    ["one older than five minutes", { ...tokens, ...signed("a", String(NOW_S - 301), BODY) }],
    ["one further ahead", { ...tokens, ...signed("a", String(NOW_S + 301), BODY) }],
    ["no signature", { ...tokens, ...fields, "webhook-signature": "" }],
    [
      "another version",
      { ...tokens, ...fields, "webhook-signature": fields["webhook-signature"].replace("v1", "v2") },
    ],
    ["a signature that is too short", { ...tokens, ...fields, "webhook-signature": "v1,g0hM9SsE" }],
    ["a signature in hex", { ...tokens, ...fields, "webhook-signature": `v1,${"a".repeat(64)}` }],
  ])("hookProof() does refuse %s from the headers alone", (_case, sent) => {
    expect(proof("gitlab", sent, { secret })).toBe("refused");
  });

  it.each<[string, Fields]>([
    ["another id", { ...fields, "webhook-id": "msg_other" }],
    ["another time", { ...fields, "webhook-timestamp": "1614265331" }],
    [
      "another key",
      signed("a", String(NOW_S), BODY, `whsec_${Buffer.from("k".repeat(24)).toString("base64")}`),
    ],
    ["another body", signed("a", String(NOW_S), Buffer.from("{}"))],
  ])("hookProof() does refuse what was signed with %s, whatever the token", (_case, sent) => {
    expect(proof("gitlab", { ...tokens, ...sent }, { secret })).toBe("refused by body");
  });

  it.each(["whsec_", "whsec_!!!!", "whsec_MfKQ9", "whsec_MfKQ9r8G=", "whsec_MfKQ-_8G"])(
    "hookProof() does take nothing by the key %j, which is none",
    (key) => {
      const sent = { ...signed("a", String(NOW_S), BODY, key), "x-gitlab-token": key };
      expect(proof("gitlab", sent, { secret: key })).toBe("refused");
    },
  );

  it("hookProof() does prove a signature once the body is there, however late that is", () => {
    let now = NOW_S * 1000;
    const answer = hookProof(secret, () => now)("gitlab", (name) => ({ ...fields })[name] ?? null);
    now += 3_600_000;
    expect(answer.kind === "needs body" && answer.prove(BODY)).toBe(true);
  });

  it("hookProof() does take a key of this form as any other secret elsewhere", () => {
    expect(proof("gitea", { "x-gitea-signature": hex(secret, BODY) }, { secret })).toBe("proven by body");
    expect(proof("s3", { authorization: secret }, { secret })).toBe("proven");
  });
});

function hex(secret: string, body: Uint8Array): string {
  return createHmac("sha256", secret).update(body).digest("hex");
}

describe("Gitea's signature", () => {
  const good = hex(SECRET, BODY);
  const bad = hex("another", BODY);

  it.each<[string, Fields, string]>([
    ["Gitea's", { "x-gitea-signature": good }, "proven by body"],
    ["Forgejo's", { "x-forgejo-signature": good }, "proven by body"],
    ["both", { "x-forgejo-signature": good, "x-gitea-signature": good }, "proven by body"],
    ["one in capitals", { "x-gitea-signature": good.toUpperCase() }, "proven by body"],
    ["one by another secret", { "x-gitea-signature": bad }, "refused by body"],
    [
      "both, of which one is another's",
      { "x-forgejo-signature": good, "x-gitea-signature": bad },
      "refused by body",
    ],
    [
      "both, of which the other is",
      { "x-forgejo-signature": bad, "x-gitea-signature": good },
      "refused by body",
    ],
    ["both, of which one is empty", { "x-forgejo-signature": good, "x-gitea-signature": "" }, "refused"],
    ["none", {}, "refused"],
    ["the empty one of a hook without a secret", { "x-gitea-signature": "" }, "refused"],
    ["a part of one", { "x-gitea-signature": good.slice(2) }, "refused"],
    ["one with its algorithm", { "x-gitea-signature": `sha256=${good}` }, "refused"],
    ["the secret itself", { "x-gitlab-token": SECRET, authorization: `Bearer ${SECRET}` }, "refused"],
  ])("hookProof() does answer %s", (_case, fields, wanted) => {
    expect(proof("gitea", fields)).toBe(wanted);
  });

  it.each(FOREIGN)("hookProof() does sign with %j as UTF-8", (secret) => {
    const signature = createHmac("sha256", Buffer.from(secret, "utf8")).update(BODY).digest("hex");
    expect(proof("gitea", { "x-gitea-signature": signature }, { secret })).toBe("proven by body");
  });

  it("hookProof() does take the body that was signed and no other", () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array(), (body, other) => {
        const fields = { "x-gitea-signature": hex(SECRET, body) };
        expect(proof("gitea", fields, { body: Buffer.from(body) })).toBe("proven by body");
        const isSame = Buffer.compare(body, other) === 0;
        expect(proof("gitea", fields, { body: Buffer.from(other) })).toBe(
          isSame ? "proven by body" : "refused by body",
        );
      }),
      { numRuns: 100 },
    );
  });
});

describe("what stores send", () => {
  it.each([SECRET, "with:colons::in:it", ...FOREIGN])("hookProof() does take %j in each way", (secret) => {
    const sent: Fields[] = [
      basic("any", secret),
      basic("", secret),
      { authorization: `bearer ${secret}` },
      { authorization: `Bearer  ${secret}` },
      { authorization: secret },
      { authorization: asLatin1(`Bearer ${secret}`) },
      { authorization: asLatin1(secret) },
    ];
    for (const fields of sent) expect([fields, proof("s3", fields, { secret })]).toEqual([fields, "proven"]);
  });

  it.each<[Fields]>([
    [{}],
    [{ authorization: "" }],
    [{ authorization: "Bearer" }],
    [{ authorization: "Bearer " }],
    [{ authorization: "Basic" }],
    [{ authorization: `Basic ${SECRET}` }],
    [{ authorization: `Digest ${SECRET}` }],
    [{ authorization: `Bearer ${SECRET} x` }],
    [{ authorization: SECRET.slice(0, -1) }],
    [basic(SECRET, "")],
    [basic("any", `${SECRET}x`)],
    [{ authorization: `Basic ${Buffer.from(SECRET).toString("base64")}` }],
    [{ "x-gitlab-token": SECRET, "x-gitea-signature": hex(SECRET, BODY) }],
  ])("hookProof() does refuse %j", (fields) => {
    expect(proof("s3", fields)).toBe("refused");
  });
});
