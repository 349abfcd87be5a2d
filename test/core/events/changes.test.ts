import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { believed } from "../../../src/core/events/believed.ts";
import {
  lastPushAt,
  merged,
  mergedGroups,
  NO_CHANGES,
  pipelineChangedAt,
  withEverything,
  withGroup,
  withGroups,
  withPipeline,
  withPush,
  type Changes,
} from "../../../src/core/events/changes.ts";
import type { PushEvent } from "../../../src/core/events/event.ts";
import type { Revision } from "../../../src/core/revision.ts";

const MOST = 64;
const MAIN = "refs/heads/main";

function pushEvent(ref: string, before: string | undefined, after: string | undefined): PushEvent {
  return { kind: "push", project: ["g/p"], ref, before, after, isOfCommits: true, defaultBranch: undefined };
}

type Told =
  | { readonly what: "push"; readonly event: PushEvent; readonly at: number }
  | { readonly what: "pipeline"; readonly id: string | undefined; readonly at: number }
  | { readonly what: "everything"; readonly at: number };

const moment = fc.integer({ min: 1, max: 12 });
const oid = fc.constantFrom("A", "B", "C", undefined);
const told = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constant("push" as const),
      event: fc.record({
        kind: fc.constant("push" as const),
        project: fc.constant(["g/p"]),
        ref: fc.constantFrom(MAIN, "refs/heads/dev"),
        before: oid,
        after: oid,
        isOfCommits: fc.boolean(),
        defaultBranch: fc.constantFrom("main", "dev", undefined),
      }),
      at: moment,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      what: fc.constant("pipeline" as const),
      id: fc.constantFrom("1", "2", undefined),
      at: moment,
    }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant("everything" as const), at: moment }) },
);
const account = fc.array(told, { maxLength: 8 }).map((all) => all.reduce(take, NO_CHANGES));

function take(changes: Changes, one: Told): Changes {
  if (one.what === "push") return withPush(changes, one.event, one.at);
  return one.what === "pipeline" ? withPipeline(changes, one.id, one.at) : withEverything(changes, one.at);
}

/** An account as it is whatever order it was made in. */
function meaningOf(changes: Changes): unknown {
  const sorted = (all: readonly unknown[]) => all.map((one) => JSON.stringify(sortedMembers(one))).toSorted();
  return { ...changes, pushes: sorted(changes.pushes), pipelines: sorted(changes.pipelines) };
}

function sortedMembers(one: unknown): unknown {
  return Object.entries(one ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

const COMMITS: readonly Revision[] = Array.from({ length: 14 }, (_, i) => ({
  at: i,
  kind: "commit",
  oid: "A",
}));

function oidsOf(changes: Changes): readonly unknown[] {
  return COMMITS.map((record) => ["main", "dev", "HEAD"].map((name) => believed(record, changes, name)));
}

describe("two accounts made one", () => {
  it("merged() does mean the same in any order, in any grouping, and however often", () => {
    fc.assert(
      fc.property(account, account, account, (a, b, c) => {
        const all = merged(a, merged(b, c));
        for (const other of [
          merged(merged(a, b), c),
          merged(merged(c, a), b),
          merged(all, b),
          merged(all, all),
        ]) {
          expect(meaningOf(other)).toEqual(meaningOf(all));
          expect(oidsOf(other)).toEqual(oidsOf(all));
        }
      }),
      { numRuns: 300 },
    );
  });

  it("merged() does lose no time of either", () => {
    fc.assert(
      fc.property(account, account, (a, b) => {
        const both = merged(a, b);
        for (const time of ["at", "accessAt", "filesAt", "refsAt", "listsAt", "pipelinesAt"] as const)
          expect(both[time]).toBe(Math.max(a[time], b[time]));
        for (const id of ["1", "2", "3"])
          expect(pipelineChangedAt(both, id)).toBe(
            Math.max(pipelineChangedAt(a, id), pipelineChangedAt(b, id)),
          );
        expect(lastPushAt(both)).toBe(Math.max(lastPushAt(a), lastPushAt(b)));
      }),
      { numRuns: 300 },
    );
  });

  it("merged() does take the default branch from whoever was told it last", () => {
    const push = (defaultBranch: string | undefined) => ({ ...pushEvent(MAIN, "A", "B"), defaultBranch });
    const old = withPipeline(withPush(NO_CHANGES, push("main"), 1), "1", 9);
    const young = withPush(NO_CHANGES, push("dev"), 5);
    expect([merged(old, young).defaultBranch, merged(young, old).defaultBranch]).toEqual(["dev", "dev"]);
    expect(withPush(young, push(undefined), 7).defaultBranch).toBe("dev");
    expect(withPush(young, push("main"), 4).defaultBranch).toBe("dev");
  });
});

describe("a push", () => {
  it("withPush() does remember when it was told first and last, whatever the clocks say", () => {
    const event = pushEvent(MAIN, "A", "B");
    for (const times of [
      [3, 7, 5],
      [7, 3, 5],
      [5, 7, 3],
    ]) {
      const changes = times.reduce((before, time) => withPush(before, event, time), NO_CHANGES);
      expect(changes.pushes).toMatchObject([{ at: 3, againAt: 7 }]);
      expect([changes.at, lastPushAt(changes)]).toEqual([7, 7]);
    }
  });

  it("withPush() does tell exact ids from vague ones", () => {
    const event = pushEvent("refs/tags/v1", undefined, "B");
    const changes = withPush(withPush(NO_CHANGES, { ...event, isOfCommits: false }, 1), event, 2);
    expect(changes.pushes).toHaveLength(2);
  });
});

describe("a pipeline", () => {
  it("withPipeline() does end lists, and what is known of this pipeline", () => {
    const changes = withPipeline(withPipeline(NO_CHANGES, "1", 3), "2", 5);
    expect([changes.listsAt, pipelineChangedAt(changes, "1"), pipelineChangedAt(changes, "2")]).toEqual([
      5, 3, 5,
    ]);
    expect([pipelineChangedAt(changes, "3"), changes.refsAt, changes.accessAt]).toEqual([0, 0, 0]);
    expect(pipelineChangedAt(withPipeline(changes, "2", 4), "2")).toBe(5);
  });

  it("withPipeline() does end all pipelines where it is not told which", () => {
    const changes = withPipeline(NO_CHANGES, undefined, 3);
    expect([changes.listsAt, pipelineChangedAt(changes, "1")]).toEqual([3, 3]);
  });
});

describe("everything", () => {
  it("withEverything() does end all that was known, and nothing that comes to be known later", () => {
    fc.assert(
      fc.property(account, moment, (before, time) => {
        const changes = withEverything(before, time);
        const now = Math.max(before.at, time);
        const { accessAt, filesAt, refsAt, listsAt } = changes;
        expect([changes.at, accessAt, filesAt, refsAt, listsAt]).toEqual(Array(5).fill(now));
        expect([pipelineChangedAt(changes, "1"), lastPushAt(changes)]).toEqual([now, now]);
        expect(believed({ at: now, kind: "crowded" }, changes, "main")).toBeUndefined();
        const later: Revision = { at: now + 1, kind: "commit", oid: "A" };
        expect(believed(later, changes, "main")).toBe(later);
      }),
    );
  });
});

describe("more than is told apart", () => {
  /** One straight way of commits, `count` long, told in any order. */
  const many = fc.record({
    count: fc.integer({ min: 60, max: 140 }),
    seed: fc.infiniteStream(fc.nat({ max: 1000 })),
    askedAt: fc.integer({ min: 1, max: 1000 }),
  });

  it("withPush() does never know more than 64, and forget only at the price of asking again", () => {
    fc.assert(
      fc.property(many, ({ count, seed, askedAt }) => {
        const tellings = Array.from({ length: count }, (_, i) => ({
          i,
          at: 1000 + i + (seed.next().value ?? 0),
        }));
        const inOrder = tellings.toSorted((one, other) => one.at - other.at);
        const parts = [0, 1].map((half) =>
          inOrder
            .filter(({ i }) => i % 2 === half)
            .reduce(
              (changes, { i, at: time }) => withPush(changes, pushEvent(MAIN, `${i}`, `${i + 1}`), time),
              NO_CHANGES,
            ),
        );
        const [one = NO_CHANGES, other = NO_CHANGES] = parts;
        const all = merged(one, other);
        expect(all.pushes.length).toBe(Math.min(count, MOST));
        expect(meaningOf(merged(other, one))).toEqual(meaningOf(all));
        const first = believed({ at: askedAt, kind: "commit", oid: "0" }, all, "main");
        expect(first).toEqual(count > MOST ? undefined : { at: askedAt, kind: "commit", oid: `${count}` });
        // Asked after all that is forgotten was told: brought up to date, or asked again
        const at = all.refsAt + 1;
        const known = tellings
          .filter((telling) => telling.at < at)
          .reduce((last, { i }) => Math.max(last, i + 1), 0);
        const now = believed({ at, kind: "commit", oid: `${known}` }, all, "main");
        expect([undefined, `${count}`]).toContain(now?.kind === "commit" ? now.oid : undefined);
      }),
      { numRuns: 60 },
    );
  });

  it("withPush() does forget what was told last longest ago", () => {
    const again = pushEvent(MAIN, "A", "B");
    let changes = withPush(withPush(NO_CHANGES, again, 1), again, 500);
    for (let i = 0; i < MOST; i++)
      changes = withPush(changes, pushEvent("refs/heads/dev", `${i}`, `${i + 1}`), 10 + i);
    expect(changes.pushes).toHaveLength(MOST);
    expect(changes.pushes).toContainEqual(expect.objectContaining({ at: 1, againAt: 500 }));
    expect(changes.refsAt).toBe(10);
  });

  it("withPipeline() does never know more than 64, and end what it forgets", () => {
    const all = Array.from({ length: 100 }, (_, i) => ({ id: `${i}`, time: 1 + ((i * 37) % 100) }));
    const changes = all.reduce((before, { id, time }) => withPipeline(before, id, time), NO_CHANGES);
    expect(changes.pipelines).toHaveLength(MOST);
    for (const { id, time } of all) expect(pipelineChangedAt(changes, id)).toBeGreaterThanOrEqual(time);
    expect(changes.pipelinesAt).toBe(100 - MOST);
  });
});

describe("groups", () => {
  it.each([
    ["g/", "g/p", true],
    ["g/", "G/sub/p", true],
    ["G/", "g/p", true],
    ["g/", "other/g/p", false],
    ["g/", "gg/p", false],
    ["/sub/", "g/sub/p", true],
    ["/sub/", "sub/p", true],
    ["/sub/", "g/subs/p", false],
    ["/sub/", "g/sub", false],
    ["g/", "17", true],
  ])("withGroups() does know whether what is told of %j is of %j", (group, project, isBelow) => {
    const all = withGroups(NO_CHANGES, withGroup(undefined, group, 5), project);
    expect(all?.accessAt).toBe(isBelow ? 5 : 0);
  });

  it("withGroups() does keep what was told of the project itself, and make nothing of nothing", () => {
    const own = withPush(NO_CHANGES, pushEvent(MAIN, "A", "B"), 3);
    expect(withGroups(own, { groups: [], allAt: 0 }, "g/p")).toBe(own);
    expect(withGroups(undefined, { groups: [], allAt: 0 }, "g/p")).toBeUndefined();
    expect(withGroups(own, withGroup(undefined, "g/", 2), "g/p")).toMatchObject({
      at: 3,
      accessAt: 2,
      pushes: own.pushes,
    });
  });

  it("mergedGroups() does never know more than 64, and end what it forgets", () => {
    const names = Array.from({ length: 100 }, (_, i) => `g${i}/`);
    const all = names.reduce((before, name, i) => withGroup(before, name, i + 1), {
      groups: [],
      allAt: 0,
    } as ReturnType<typeof withGroup>);
    expect(all.groups.length).toBeLessThanOrEqual(MOST);
    for (const [i, name] of names.entries())
      expect(withGroups(undefined, all, `${name}p`)?.accessAt).toBeGreaterThanOrEqual(i + 1);
    expect(mergedGroups(all, all)).toEqual(all);
  });
});
