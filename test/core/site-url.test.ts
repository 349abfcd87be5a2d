import { describe, expect, it } from "vitest";
import type { Site } from "../../src/core/site.ts";
import { locationForSite } from "../../src/core/site-url.ts";

const SITE: Site = { host: "git.example.com", kind: "gitlab", origin: "https://origin.internal:8443" };

describe("a redirect of the origin's", () => {
  it.each([
    ["https://origin.internal:8443", "/"],
    ["https://origin.internal:8443/", "/"],
    ["https://origin.internal:8443/g/p/-/raw/main/a?inline=false#L1", "/g/p/-/raw/main/a?inline=false#L1"],
    ["/users/sign_in", "/users/sign_in"],
    ["https://storage.example.com/a?X-Amz-Signature=1", "https://storage.example.com/a?X-Amz-Signature=1"],
    ["https://origin.internal:8443.evil.example/a", "https://origin.internal:8443.evil.example/a"],
    ["https://origin.internal:84430/a", "https://origin.internal:84430/a"],
    ["https://origin.internal:8443@evil.example/a", "https://origin.internal:8443@evil.example/a"],
    ["http://origin.internal:8443/a", "http://origin.internal:8443/a"],
  ])("locationForSite() does write %s as %s", (location, expected) => {
    expect(locationForSite(location, SITE)).toBe(expected);
  });

  it.each([["//evil.example/a"], ["/\\evil.example/a"], ["/\t/evil.example/a"], ["\\\\evil.example/a"]])(
    "locationForSite() does never lead from the origin to another host by the path %j",
    (path) => {
      const location = locationForSite(SITE.origin + path, SITE);
      const followed = new URL(location, `https://${SITE.host}/g/p`);
      expect([SITE.host, new URL(SITE.origin).host]).toContain(followed.host);
    },
  );
});
