import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Delivery } from "../../scripts/demo/pipelines/webhooks.ts";
import { startHooksScene, WHO, type HooksScene } from "./hooks-scene.ts";
import { API, idsOf, READER } from "./pipelines-scene.ts";
import { SECRET, type Answer, type ForgeName } from "./scene.ts";

let scene: HooksScene;
beforeAll(async () => {
  scene = await startHooksScene();
});
beforeEach(async () => await scene.again());
afterAll(async () => await scene.harness.close());

type Door = {
  readonly name: string;
  readonly forge: ForgeName;
  /** A file of a branch or tag; without one of the default branch. */
  readonly path: (file: string, ref: string | undefined, kind?: "tag") => string;
};

const DOORS: readonly Door[] = [
  {
    name: "gitlab web",
    forge: "gitlab",
    path: (file, ref = "HEAD") => `/${SECRET.gitlab}/-/raw/${ref}/${file}`,
  },
  {
    name: "gitlab api",
    forge: "gitlab",
    path: (file, ref) => {
      const base = `/api/v4/projects/${encodeURIComponent(SECRET.gitlab)}/repository/files`;
      return `${base}/${encodeURIComponent(file)}/raw${ref === undefined ? "" : `?ref=${encodeURIComponent(ref)}`}`;
    },
  },
  {
    name: "gitea web",
    forge: "gitea",
    path: (file, ref, kind) =>
      ref === undefined
        ? `/${SECRET.gitea}/raw/${file}`
        : `/${SECRET.gitea}/raw/${kind === "tag" ? "tag" : "branch"}/${ref}/${file}`,
  },
  {
    name: "gitea api",
    forge: "gitea",
    path: (file, ref) =>
      `/api/v1/repos/${SECRET.gitea}/raw/${file}${ref === undefined ? "" : `?ref=${encodeURIComponent(ref)}`}`,
  },
];

/** What the forge is asked to learn where a ref is; bytes are another thing. */
function refQuestions(forge: ForgeName): number {
  const counts = scene.forge(forge).counts();
  return counts["git:ls-refs"] + counts["git:capabilities"];
}

async function read({ forge, path }: Door, file: string, ref?: string, kind?: "tag"): Promise<Answer> {
  return await scene.get(path(file, ref, kind), WHO[forge], { forge });
}

async function saysNow(door: Door, file: string, ref: string | undefined, kind?: "tag"): Promise<string> {
  const { status, body } = await read(door, file, ref, kind);
  return status === 200 ? body.toString() : String(status);
}

/** The same as the forge itself says it. */
async function isNow(
  { forge, path }: Door,
  file: string,
  ref: string | undefined,
  kind?: "tag",
): Promise<string> {
  const { status, body } = await scene.direct(path(file, ref, kind), WHO[forge], { forge });
  return status === 200 ? body.toString() : String(status);
}

describe.each(DOORS)("a push, by the door $name", (door) => {
  const { forge } = door;
  const project = SECRET[forge];

  it("is seen by the next read without asking where the branch is", async () => {
    const ref = scene.name("branch");
    const at = scene.forge(forge);
    await at.commit(project, ref, { "a.txt": "one" });
    await scene.told(forge);
    expect(await saysNow(door, "a.txt", ref)).toBe("one");
    await scene.settle();
    const before = refQuestions(forge);
    for (const text of ["two", "three"]) {
      await at.commit(project, ref, { "a.txt": text });
      await scene.told(forge);
      expect(await saysNow(door, "a.txt", ref)).toBe(text);
    }
    expect(refQuestions(forge) - before).toBe(0);
    await at.deleteRef(project, `refs/heads/${ref}`);
    await scene.told(forge);
    expect(await saysNow(door, "a.txt", ref)).toBe(await isNow(door, "a.txt", ref));
    await at.commit(project, ref, { "a.txt": "anew" });
    await scene.told(forge);
    expect(await saysNow(door, "a.txt", ref)).toBe("anew");
  });

  it("to the default branch is seen under HEAD, too", async () => {
    const file = `${scene.name("head")}.txt`;
    const at = scene.forge(forge);
    expect(await saysNow(door, file, undefined)).toBe("404");
    for (const text of ["one", "two", "three"]) {
      await at.commit(project, "main", { [file]: text });
      await scene.told(forge);
      expect([text, await saysNow(door, file, undefined)]).toEqual([text, text]);
      expect([text, await saysNow(door, file, "main")]).toEqual([text, text]);
    }
  });

  it("of a new branch or tag is seen where it was missing a moment ago", async () => {
    const [ref, tag] = [scene.name("fresh"), scene.name("v")];
    const at = scene.forge(forge);
    expect(await saysNow(door, "a.txt", ref)).toBe("404");
    expect(await saysNow(door, "a.txt", tag, "tag")).toBe("404");
    const commit = await at.commit(project, ref, { "a.txt": "one" });
    await scene.told(forge);
    expect(await saysNow(door, "a.txt", ref)).toBe("one");
    for (const isAnnotated of [false, true]) {
      const name = isAnnotated ? `${tag}-a` : tag;
      expect(await saysNow(door, "a.txt", name, "tag")).toBe("404");
      await at.createTag(project, name, commit, isAnnotated);
      await scene.told(forge);
      expect([name, await saysNow(door, "a.txt", name, "tag")]).toEqual([name, "one"]);
    }
    await at.deleteRef(project, `refs/tags/${tag}`);
    await scene.told(forge);
    expect(await saysNow(door, "a.txt", tag, "tag")).toBe("404");
  });
});

/** A delivery, and which of the states of its branch it leads to. */
type Push = { readonly leadsTo: number; readonly delivery: Delivery };

describe("deliveries", () => {
  const [web, api] = DOORS as readonly [Door, Door];

  it("of a forced push lead to another history", async () => {
    const ref = scene.name("forced");
    const { gitlab } = scene.harness.demo;
    await gitlab.commit(SECRET.gitlab, ref, { "a.txt": "one" });
    await gitlab.commit(SECRET.gitlab, ref, { "a.txt": "two" });
    await scene.told();
    for (const door of [web, api]) expect(await saysNow(door, "a.txt", ref)).toBe("two");
    const before = refQuestions("gitlab");
    await scene.post(
      await scene.untold(`refs/heads/${ref}`, async () => {
        await gitlab.deleteRef(SECRET.gitlab, `refs/heads/${ref}`);
        await gitlab.commit(SECRET.gitlab, ref, { "a.txt": "forced" });
      }),
    );
    for (const door of [web, api]) expect(await saysNow(door, "a.txt", ref)).toBe("forced");
    expect(refQuestions("gitlab")).toBe(before);
  });

  /**
   * Lets arbitrary pushes of a branch be told in arbitrary order. Tells each read of a state that is older than one that was
   * told or read before, and what is not as it is when all is told.
   */
  async function history(door: Door, seed: number): Promise<readonly string[]> {
    let state = seed;
    const next = (count: number) => (state = (state * 1103 + 12_345) % 65_536) % count;
    const { gitlab } = scene.harness.demo;
    const ref = scene.name(`history-${seed}`);
    const full = `refs/heads/${ref}`;
    const states = ["404"];
    const waiting: Push[] = [];
    const taken: Push[] = [];
    const faults: string[] = [];
    let oldest = 0;

    const push = async (becomes: string, change: () => Promise<unknown>) => {
      waiting.push({ leadsTo: states.length, delivery: await scene.untold(full, change) });
      states.push(becomes);
    };
    const take = async (each: Push) => {
      await scene.post(each.delivery);
      oldest = Math.max(oldest, each.leadsTo);
    };
    const takeNext = async () => {
      for (const each of waiting.splice(next(waiting.length), 1)) {
        taken.push(each);
        await take(each);
      }
    };
    const check = async (where: string) => {
      const says = await saysNow(door, "a.txt", ref);
      const index = states.findIndex((each, at) => at >= oldest && each === says);
      if (index === -1) faults.push(`${where}: ${says}, of ${states.slice(oldest).join(" ")}`);
      else oldest = index;
    };
    for (let step = 0; step < 14; step++) {
      const act = next(6);
      const text = `${states.length}`;
      if (act <= 1 || states.length < 2)
        await push(text, async () => await gitlab.commit(SECRET.gitlab, ref, { "a.txt": text }));
      else if (act === 2 && states.at(-1) !== "404")
        await push("404", async () => await gitlab.deleteRef(SECRET.gitlab, full));
      else if (act === 3) for (const each of taken.slice(-1)) await take(each);
      else await takeNext();
      if (next(4) === 0) await scene.advance(next(3) * 4000);
      if (next(2) === 0) await check(`${seed}, step ${step}`);
    }
    while (waiting.length > 0) await takeNext();
    oldest = states.length - 1;
    await check(`${seed}, all told`);
    for (const each of taken.slice(0, 3)) {
      await take(each);
      await check(`${seed}, told again`);
    }
    return faults;
  }

  it.each([1, 2, 3, 4])("out of order and replayed bring back nothing (%i)", async (seed) => {
    expect(await history(seed % 2 === 0 ? web : api, seed * 977)).toEqual([]);
  });

  it("of a tag that is moved to and fro leave no doubt about where it is", async () => {
    const { gitlab } = scene.harness.demo;
    const ref = scene.name("toandfro");
    const one = await gitlab.commit(SECRET.gitlab, ref, { "a.txt": "one" });
    const two = await gitlab.commit(SECRET.gitlab, ref, { "a.txt": "two" });
    const tag = `${ref}-tag`;
    const deliveries: Delivery[] = [];
    for (const commit of [one, two, one, two]) {
      const delivery = await scene.untold(
        `refs/tags/${tag}`,
        async () => await gitlab.createTag(SECRET.gitlab, tag, commit),
      );
      deliveries.push(delivery);
      await scene.post(delivery);
      for (const door of [web, api])
        expect(await saysNow(door, "a.txt", tag, "tag")).toBe(commit === one ? "one" : "two");
    }
    for (const delivery of [...deliveries, ...deliveries.toReversed()]) {
      await scene.post(delivery);
      for (const door of [web, api]) expect(await saysNow(door, "a.txt", tag, "tag")).toBe("two");
    }
  });

  it("are known in another isolate of the colo within a second", async () => {
    const ref = scene.name("beyond");
    const { gitlab } = scene.harness.demo;
    const list = `${API}/2/pipelines`;
    const row = await gitlab.addPipeline("demo/nested/secret", { status: "running" });
    await gitlab.commit(SECRET.gitlab, ref, { "a.txt": "0" });
    await scene.told();
    const isolate = "elsewhere";
    for (let version = 1; version <= 4; version++) {
      const text = await scene.get(web.path("a.txt", ref), READER, { isolate });
      expect(text.body.toString()).toBe(String(version - 1));
      idsOf(await scene.get(list, READER, { isolate }));
      await gitlab.commit(SECRET.gitlab, ref, { "a.txt": String(version) });
      gitlab.pipelines.update(row.id, { name: `version ${version}` });
      await scene.told();
      await scene.advance(1000);
      const seen = await scene.get(web.path("a.txt", ref), READER, { isolate });
      expect(seen.body.toString()).toBe(String(version));
      const polled = await scene.get(list, READER, { isolate });
      expect(polled.body.toString()).toContain(`version ${version}`);
    }
    gitlab.pipelines.remove(row.id);
  });
});
