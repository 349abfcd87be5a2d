import { describe, expect, it } from "vitest";
import { NO_CHANGES, withEverything } from "../../src/core/events/changes.ts";
import { makeKey } from "../../src/core/key.ts";
import type { Site } from "../../src/core/site.ts";
import { itemsOfKv, prefixesOf, shownOf, type Item, type Outlook } from "../../src/serve/purge-items.ts";

const SITE: Site = { host: "git.test", kind: "gitlab", origin: "https://origin.test" };
const ASKER = "0123456789abcdef".repeat(4);

/** A namespace with some keys, which tells how many it was asked for. */
function namespaceOf(keys: readonly string[]) {
  let listed = 0;
  return {
    listed: () => listed,
    list: async (prefix: string, most: number) => {
      const found = keys.filter((key) => key.startsWith(prefix));
      listed += Math.min(found.length, most);
      return { keys: found.slice(0, most), isAll: found.length <= most };
    },
  };
}

/** All of one project goes. */
const OUTLOOK: Outlook = {
  project: (name) => ({
    before: undefined,
    after: name === "group/app" ? withEverything(NO_CHANGES, 10) : undefined,
  }),
  object: () => ({ before: -Infinity, after: -Infinity }),
};

const project = { kind: "project", project: "group/app" } as const;
const asked = { prefixes: prefixesOf(SITE, project, ["group/app"]), at: 10, outlook: OUTLOOK };

describe("what KV lists", () => {
  it("itemsOfKv() does tell grants and revisions of the project in words, and none of an asker", async () => {
    const { list } = namespaceOf([
      makeKey("grant", SITE.host, "web", "group/app", ASKER),
      makeKey("grant", SITE.host, "pipelines", "group/app", "", "anonymous"),
      makeKey("grant", SITE.host, "job", "api", "group/app", "latest", "main", "build", "", ASKER),
      makeKey("grant", SITE.host, "web", "group/app2", ASKER),
      makeKey("grant", "other.test", "web", "group/app", ASKER),
      makeKey("revision", SITE.host, "web", "group/app", "refs", "feature/é"),
      makeKey("change", SITE.host, "project", "group/app"),
    ]);
    expect(await itemsOfKv(list, SITE, asked)).toEqual({
      isAll: true,
      items: [
        { kind: "grant", name: "group/app (web): an asker", where: "kv" },
        { kind: "grant", name: "group/app (pipelines): anonymous", where: "kv" },
        { kind: "grant", name: "group/app (api) latest job main build: an asker", where: "kv" },
        { kind: "revision", name: "group/app (web): refs feature/é", where: "kv" },
      ],
    });
  });

  it.each([1000, 1001, 1500])("itemsOfKv() does look at no more than 1,000 keys of %d", async (count) => {
    const kinds = ["grant", "revision"] as const;
    const keys = Array.from({ length: count }, (_, number) =>
      makeKey(kinds[number % 2] ?? "grant", SITE.host, "web", "group/app", `x${number}`),
    );
    const namespace = namespaceOf(keys);
    const { items, isAll } = await itemsOfKv(namespace.list, SITE, asked);
    expect([items.length, namespace.listed()]).toEqual([1000, 1000]);
    expect(isAll).toBe(false);
  });

  it("prefixesOf() does find all below a group, and nothing for what KV never holds", async () => {
    const { list } = namespaceOf([
      makeKey("grant", SITE.host, "web", "group/sub/app", ASKER),
      makeKey("grant", SITE.host, "web", "group/subject", ASKER),
    ]);
    const prefixes = prefixesOf(SITE, { kind: "group", group: "group/sub" }, []);
    const found = await Promise.all(prefixes.map((prefix) => list(prefix, 1000)));
    expect(found.flatMap(({ keys }) => keys)).toEqual([
      makeKey("grant", SITE.host, "web", "group/sub/app", ASKER),
    ]);
    expect(prefixesOf(SITE, { kind: "pipelines", project: "group/app" }, ["group/app"])).toEqual([]);
  });
});

describe("what is shown", () => {
  it.each([
    [0, 0, 0],
    [200, 200, 0],
    [205, 200, 5],
  ])("shownOf() does show of %d items %d, and say that there are %d more", (count, shown, more) => {
    const items = Array.from({ length: count }, (_, at): Item => ({
      kind: "list",
      name: `${at}`,
      where: "memory",
    }));
    expect(shownOf(items, true)).toEqual({ items: items.slice(0, shown), more, complete: true });
  });
});
