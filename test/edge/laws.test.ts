import { afterAll, describe, expect, it } from "vitest";
import { DEPLOY_USER, READERS, type Principal } from "./principals.ts";
import { SECRET } from "./scene.ts";
import { verdictTable, type Column } from "./verdict-table.ts";
import {
  askAs,
  breakOrigin,
  check,
  COLO,
  DOORS,
  expectNothingTold,
  FEW_KINDS,
  forAll,
  type Kind,
  KINDS,
  KV,
  MEMORY,
  playLawsScene,
  privateFile,
  type PrivateFile,
  privateFiles,
  REFUSALS,
  renewFor,
  scene,
  TIERS,
  UNREACHABLE,
  type Verdict,
} from "./laws-scene.ts";

const table = verdictTable(
  DOORS.flatMap(({ forge, channel, principals }) =>
    principals.map(({ name }) => `${forge} ${channel}, ${name}`),
  ),
);

playLawsScene();
afterAll(() => {
  const ways = KINDS.map(({ name }) => name).join(", ");
  console.log(`In up to ${KINDS.length} ways to ask: ${ways}`);
  table.print();
});

describe.each(DOORS)("$forge $channel", ({ forge, channel, principals }) => {
  const mayRead = (principal: Principal) => principal.reads.includes(channel);
  const readers = principals.filter(mayRead);

  type Checking = { readonly verdict: Verdict; readonly column?: Column; readonly kinds?: readonly Kind[] };
  const checkOne = async (
    principal: Principal,
    file: PrivateFile,
    { verdict, column, kinds = KINDS }: Checking,
  ) => {
    const faults = await check(forge, principal, file, { verdict, kinds });
    const letter = faults.length > 0 ? "!" : verdict === "served" ? "s" : "r";
    if (column !== undefined) table.note(`${forge} ${channel}, ${principal.name}`, column, letter);
    return faults;
  };
  const checkReaders = async (file: PrivateFile, checking: Checking) =>
    await forAll(readers, async (reader) => await checkOne(reader, file, checking));
  /** A hit may still be given, or already be refused, but nothing between. */
  const checkLast = async (file: PrivateFile, refusals: number[]) =>
    await forAll(readers, async (reader) => {
      const answer = await askAs(forge, reader, file.path);
      if (answer.status !== 200) expectNothingTold(answer, file, refusals);
      return [];
    });

  it("agrees with the forge on who may read what", async () => {
    const file = await privateFile(forge, channel);
    const served = async () =>
      await forAll(principals, async (principal) => {
        const { status } = await askAs(forge, principal, file.path, { direct: true });
        return status === 200 ? [principal.name] : [];
      });
    expect(await served()).toEqual(readers.map(({ name }) => name));
    scene.forge(forge).setVisibility(SECRET[forge], "public");
    const known = principals.filter(({ unknown }) => unknown !== true);
    expect(await served()).toEqual(known.map(({ name }) => name));
  });

  it.each(["public", "private"] as const)("%s: cold, warm by another, warm by the same", async (column) => {
    scene.forge(forge).setVisibility(SECRET[forge], column);
    const [warm, ...cold] = await privateFiles(forge, channel, 1 + principals.length);
    for (const reader of [...READERS[forge], READERS[forge][0]]) {
      expect((await askAs(forge, reader, warm.path)).status).toBe(200);
    }
    const faults = await forAll(principals, async (principal, index) => {
      const isServed = column === "public" ? principal.unknown !== true : mayRead(principal);
      const checking: Checking = { verdict: isServed ? "served" : "refused", column };
      // The first way to ask finds the file cold, those after it find it warmed by the same asker.
      const first = await checkOne(principal, cold[index] ?? warm, checking);
      return [...first, ...(await checkOne(principal, warm, checking))];
    });
    expect(faults).toEqual([]);
  });

  it.each([MEMORY, KV])(
    "private after having been public, remembered in $tier",
    async ({ tier, kinds, forget }) => {
      const file = await privateFile(forge, channel);
      scene.forge(forge).setVisibility(SECRET[forge], "public");
      const hit = async () =>
        await forAll(principals, async (principal) => {
          await askAs(forge, principal, file.path);
          return [];
        });
      await hit();
      await renewFor(tier, hit);
      scene.forge(forge).setVisibility(SECRET[forge], "private");
      await scene.settle();
      await forget();
      await scene.advance(30_000);
      const faults = await forAll(principals, async (principal) => {
        const verdict = mayRead(principal) ? "served" : "refused";
        return await checkOne(principal, file, { verdict, column: "was public", kinds });
      });
      expect(faults).toEqual([]);
    },
  );

  const revoke = () => {
    for (const { secret = "" } of readers) scene.forge(forge).revokeToken(secret);
  };
  const remove = () => {
    for (const user of ["reader", DEPLOY_USER]) scene.forge(forge).setMember(user, SECRET[forge], false);
  };
  const endings = [
    ...TIERS.map((tier) => ({ column: "revoked" as const, end: revoke, ...tier })),
    { column: "removed" as const, end: remove, ...MEMORY },
  ];

  it.each(endings)(
    "$column after a hit in $tier: over after 30 s",
    async ({ tier, column, kinds, end, forget }) => {
      const file = await privateFile(forge, channel);
      const hit = async () =>
        expect(await checkReaders(file, { verdict: "served", kinds: FEW_KINDS })).toEqual([]);
      await hit();
      await hit();
      await renewFor(tier, hit);
      end();
      await scene.settle();
      await forget();
      await scene.advance(30_000);
      expect(await checkReaders(file, { verdict: "refused", column, kinds })).toEqual([]);
      await scene.harness.newIsolate();
      expect(await checkReaders(file, { verdict: "refused", kinds: FEW_KINDS })).toEqual([]);
    },
  );

  it.each(TIERS)("a grant in $tier is one for 25 s, and for 30 s no more", async ({ tier, forget }) => {
    const file = await privateFile(forge, channel);
    const hit = async () =>
      expect(await checkReaders(file, { verdict: "served", kinds: FEW_KINDS })).toEqual([]);
    await hit();
    await renewFor(tier, hit);
    await scene.settle();
    await forget();
    // Without the colo there is nothing but the origin to bring the body.
    if (tier !== "kv") breakOrigin(forge);
    await scene.advance(25_000);
    const faults = await forAll(readers, async (reader) => {
      const { status, caches } = await askAs(forge, reader, file.path);
      const isHit = status === 200 && caches["grant"]?.includes(`detail=${tier}`) === true;
      return isHit ? [] : [`${reader.name}: ${status} ${caches["grant"]}`];
    });
    expect(faults).toEqual([]);
    await scene.settle();
    if (tier === "kv") return; // those hits have renewed the grants
    await scene.advance(4900);
    await checkLast(file, UNREACHABLE);
    await scene.advance(100);
    expect(await checkReaders(file, { verdict: "unreachable" })).toEqual([]);
    await scene.harness.newIsolate();
    expect(await checkReaders(file, { verdict: "unreachable", kinds: FEW_KINDS })).toEqual([]);
  });

  it.each([COLO, KV])(
    "a grant in $tier of 30 s is none while the origin is unreachable",
    async ({ tier, kinds, forget }) => {
      const file = await privateFile(forge, channel);
      const hit = async () =>
        expect(await checkReaders(file, { verdict: "served", kinds: FEW_KINDS })).toEqual([]);
      await hit();
      await renewFor(tier, hit);
      await scene.settle();
      await forget();
      breakOrigin(forge);
      await scene.advance(30_000);
      expect(await checkReaders(file, { verdict: "unreachable", kinds })).toEqual([]);
    },
  );

  it("revoked while hits go on: over after 30 s", async () => {
    const file = await privateFile(forge, channel);
    expect(await checkReaders(file, { verdict: "served", kinds: FEW_KINDS })).toEqual([]);
    revoke();
    for (const ms of [10_000, 9900, 6000, 4000]) {
      await scene.advance(ms);
      await checkLast(file, REFUSALS);
      await scene.settle();
    }
    await scene.advance(100);
    expect(await checkReaders(file, { verdict: "refused", kinds: FEW_KINDS })).toEqual([]);
    await scene.advance(10_000);
    await scene.harness.newIsolate();
    expect(await checkReaders(file, { verdict: "refused", kinds: FEW_KINDS })).toEqual([]);
  });
});
