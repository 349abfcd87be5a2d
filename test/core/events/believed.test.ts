import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { believed } from "../../../src/core/events/believed.ts";
import { NO_CHANGES, withEverything, withPush, type Changes } from "../../../src/core/events/changes.ts";
import type { Revision } from "../../../src/core/revision.ts";
import { fullName, MAIN, play, pushEvent, refsOf, scene, type Scene } from "./true-history.ts";

type Moved = readonly [ref: string, before: string | undefined, after: string | undefined, at: number];

function told(...moves: readonly Moved[]): Changes {
  return moves.reduce(
    (changes, [ref, before, after, at]) => withPush(changes, pushEvent(ref, before, after), at),
    NO_CHANGES,
  );
}

function toldWithDefault(defaultBranch: string, ...moves: readonly Moved[]): Changes {
  return moves.reduce(
    (changes, [ref, before, after, at]) =>
      withPush(changes, { ...pushEvent(ref, before, after), defaultBranch }, at),
    NO_CHANGES,
  );
}

function listed(at: number, refs: Readonly<Record<string, string>>): Revision {
  return { at, kind: "refs", refs: Object.entries(refs).map(([name, oid]) => ({ name, oid })) };
}

function oidOf(revision: Revision | undefined): string | undefined {
  return revision?.kind === "commit" ? revision.oid : undefined;
}

const commit = (at: number, oid: string): Revision => ({ at, kind: "commit", oid });

describe("a commit that a ref was at", () => {
  const cases: readonly (readonly [string, string, readonly Moved[], string | undefined])[] = [
    ["a push from it", "A", [[MAIN, "A", "B", 4]], "B"],
    [
      "pushes in the wrong order",
      "A",
      [
        [MAIN, "B", "C", 4],
        [MAIN, "A", "B", 5],
      ],
      "C",
    ],
    ["a late push to it", "B", [[MAIN, "A", "B", 4]], "B"],
    [
      "a late push to it and one from it",
      "B",
      [
        [MAIN, "B", "C", 4],
        [MAIN, "A", "B", 5],
      ],
      "C",
    ],
    [
      "a push told twice since",
      "A",
      [
        [MAIN, "A", "B", 4],
        [MAIN, "A", "B", 5],
      ],
      "B",
    ],
    [
      "a push from it told before",
      "A",
      [
        [MAIN, "Z", "A", 2],
        [MAIN, "A", "B", 4],
      ],
      "B",
    ],
    ["a push of another ref", "A", [["refs/heads/dev", "A", "B", 4]], "A"],
    ["a push of the moment it was asked", "A", [[MAIN, "A", "B", 3]], "B"],
    ["pushes told before alone", "A", [[MAIN, "A", "B", 2]], "A"],
    ["a push that does not touch it", "A", [[MAIN, "B", "C", 4]], undefined],
    [
      "a push with another missing in between",
      "A",
      [
        [MAIN, "A", "B", 4],
        [MAIN, "C", "D", 5],
      ],
      undefined,
    ],
    [
      "two pushes from it",
      "A",
      [
        [MAIN, "A", "B", 4],
        [MAIN, "A", "C", 5],
      ],
      undefined,
    ],
    [
      "pushes there and back",
      "A",
      [
        [MAIN, "A", "B", 4],
        [MAIN, "B", "A", 5],
      ],
      undefined,
    ],
    ["a deletion", "A", [[MAIN, "A", undefined, 4]], undefined],
    [
      "a late push from it, undone before",
      "A",
      [
        [MAIN, "B", "A", 2],
        [MAIN, "A", "B", 4],
      ],
      undefined,
    ],
    [
      "a push told before and again since",
      "B",
      [
        [MAIN, "A", "B", 2],
        [MAIN, "A", "B", 4],
      ],
      "B",
    ],
    [
      "an old push again",
      "A",
      [
        [MAIN, "A", "B", 1],
        [MAIN, "B", "A", 2],
        [MAIN, "A", "B", 4],
      ],
      undefined,
    ],
  ];
  it.each(cases)("believed() does know what follows of %s", (_what, oid, moves, now) => {
    for (const name of ["main", MAIN, "heads/main"])
      expect([name, oidOf(believed(commit(3, oid), told(...moves), name))]).toEqual([name, now]);
  });

  it.each(["main~1", "main^", "main@{0}", "@", "main^{/fix}", ":/fix", "main..dev"])(
    "believed() does not say what the expression %s is after any push",
    (name) => {
      expect(believed(commit(3, "A"), told([MAIN, "X", "Y", 4]), name)).toBeUndefined();
      expect(oidOf(believed(commit(3, "A"), told([MAIN, "X", "Y", 2]), name))).toBe("A");
    },
  );

  it("believed() does not say which is meant where a branch and a tag of one name were pushed", () => {
    const both = told([MAIN, "A", "B", 4], ["refs/tags/main", "A", "C", 5]);
    expect(believed(commit(3, "A"), both, "main")).toBeUndefined();
    expect(oidOf(believed(commit(3, "A"), both, MAIN))).toBe("B");
  });

  it("believed() does not follow ids that may be those of tags", () => {
    const event = { ...pushEvent("refs/tags/v1", "A", "B"), isOfCommits: false };
    expect(believed(commit(3, "A"), withPush(NO_CHANGES, event, 4), "v1")).toBeUndefined();
  });
});

describe("HEAD", () => {
  it("believed() does follow it along the default branch", () => {
    const changes = toldWithDefault("main", [MAIN, "A", "B", 4], ["refs/heads/dev", "A", "C", 4]);
    expect(oidOf(believed(commit(3, "A"), changes, "HEAD"))).toBe("B");
  });

  it("believed() does not say where it is when a branch that may be the default one moved from there", () => {
    expect(believed(commit(3, "A"), told(["refs/heads/dev", "A", "B", 4]), "HEAD")).toBeUndefined();
    expect(oidOf(believed(commit(3, "A"), told(["refs/heads/dev", "C", "B", 4]), "HEAD"))).toBe("A");
    expect(oidOf(believed(commit(3, "A"), told(["refs/tags/v1", "A", "B", 4]), "HEAD"))).toBe("A");
  });

  it("believed() does have it in a repository that was empty", () => {
    const changes = toldWithDefault("main", [MAIN, undefined, "A", 4]);
    expect(refsOf(believed(listed(3, {}), changes, undefined))).toEqual({ [MAIN]: "A", HEAD: "A" });
    expect(believed(listed(3, {}), told([MAIN, undefined, "A", 4]), undefined)).toBeUndefined();
  });

  it("believed() does not follow a branch that is listed elsewhere than HEAD", () => {
    const changes = toldWithDefault("main", [MAIN, "A", "B", 4]);
    const record = listed(3, { HEAD: "A", [MAIN]: "B", "refs/heads/dev": "A" });
    expect(believed(record, changes, undefined)).toBeUndefined();
  });
});

describe("refs that begin like a name", () => {
  const record = listed(3, { HEAD: "A", [MAIN]: "A", "refs/tags/main-1": "T" });

  it("believed() does not mind pushes of others", () => {
    const others = toldWithDefault("main", ["refs/heads/dev", "X", "Y", 4], ["refs/tags/v1", "X", "Y", 4]);
    expect(refsOf(believed(record, others, "main"))).toEqual(refsOf(record));
    expect(refsOf(believed(record, others, "refs/heads/main"))).toEqual(refsOf(record));
    expect(believed(record, others, undefined)).toBeUndefined();
  });

  it("believed() does know those that were made, moved and deleted", () => {
    const changes = toldWithDefault(
      "main",
      [MAIN, "A", "B", 4],
      ["refs/heads/main-2", undefined, "C", 4],
      ["refs/tags/main-1", "T", undefined, 4],
    );
    expect(refsOf(believed(record, changes, "main"))).toEqual({
      HEAD: "B",
      [MAIN]: "B",
      "refs/heads/main-2": "C",
    });
  });
});

describe("what is over, and what is not", () => {
  const pushed = told([MAIN, "A", "B", 4]);
  const crowded: Revision = { at: 3, kind: "crowded" };
  const validator: Revision = { at: 3, kind: "validator", etag: '"1"' };

  it("believed() does return the very record where nothing was told since", () => {
    for (const record of [commit(5, "A"), listed(5, {}), { ...crowded, at: 5 }, { ...validator, at: 5 }]) {
      expect(believed(record, pushed, "main")).toBe(record);
      expect(believed(record, undefined, "main")).toBe(record);
    }
  });

  it("believed() does keep that there are many refs, and no validator", () => {
    expect(believed(crowded, pushed, "main")).toBe(crowded);
    expect(believed(validator, pushed, "main")).toBeUndefined();
  });

  it("believed() does end everything that was asked no later than all was said to be over", () => {
    const changes = withEverything(NO_CHANGES, 4);
    expect(believed(commit(4, "A"), changes, "main")).toBeUndefined();
    expect(believed({ ...crowded, at: 4 }, changes, "main")).toBeUndefined();
    expect(oidOf(believed(commit(5, "A"), withPush(changes, pushEvent(MAIN, "A", "B"), 6), "main"))).toBe(
      "B",
    );
  });

  it("believed() does know an old push that is told again after all was said to be over", () => {
    const before = told([MAIN, "A", "B", 1], [MAIN, "B", "A", 2]);
    const changes = withPush(withEverything(before, 3), pushEvent(MAIN, "A", "B"), 5);
    expect(believed(commit(4, "A"), changes, "main")).toBeUndefined();
  });
});

describe("a repository with a true history", () => {
  it("believed() does never go back behind what was learned, nor say what never was", () => {
    fc.assert(
      fc.property(scene, (one) => {
        const played = play({ ...one, isRepeating: false });
        for (const [ref, oid] of Object.entries(played?.said ?? {}))
          expect(played?.since.map((state) => state[ref])).toContain(oid);
      }),
      { numRuns: 1500 },
    );
  });

  it("believed() does never go back where refs return to what they were, once all pushes are told", () => {
    fc.assert(
      fc.property(scene, (one) => {
        const played = play({ ...one, isRepeating: true, isLossy: false, until: Infinity });
        const last = played?.since.at(-1);
        for (const [ref, oid] of Object.entries(played?.said ?? {})) expect(oid).toBe(last?.[ref]);
      }),
      { numRuns: 1500 },
    );
  });

  it("believed() does say exactly how it is now where all was told once, in whatever order and place", () => {
    let known = 0;
    fc.assert(
      fc.property(scene, (one) => {
        const steps = one.steps.map(
          ([each, , single]) => [each, [], { ...single, isDefaultTold: true }] as Scene["steps"][number],
        );
        const played = play({ ...one, steps, isRepeating: false, isLossy: false, until: Infinity });
        if (played === undefined) return;
        const last = played.since.at(-1);
        const isGone = !one.isListed && last?.[fullName(one.name ?? "")] === undefined;
        const hadHead = played.since[0]?.["HEAD"] !== undefined && last?.["HEAD"] === undefined; // deleted: asked again
        if (isGone || (one.isListed && hadHead)) return;
        known++;
        const { said } = played;
        expect(said).toBeDefined();
        for (const [ref, oid] of Object.entries(said ?? {})) expect([ref, oid]).toEqual([ref, last?.[ref]]);
      }),
      { numRuns: 1000 },
    );
    expect(known).toBeGreaterThan(500);
  });
});
