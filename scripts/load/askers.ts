import type { Account } from "../demo/access.ts";
import type { S3Key } from "../demo/s3.ts";
import { BUCKETS, isOpenProject, PROJECTS } from "./catalogue.ts";
import type { Asker, Door, StoreAsker } from "./plan.ts";
import { ANYBODY } from "./truth.ts";

/** Somebody whom the forge of the load knows, and the projects that they are members of. */
export type Member = {
  readonly asker: Asker;
  readonly account: Account;
  readonly projects: readonly number[];
};

type Form = {
  readonly account: Account["form"];
  readonly doors: readonly Door[];
  readonly credential: (secret: string) => Partial<Pick<Asker, "headers" | "query">>;
};

const FORMS: readonly Form[] = [
  {
    account: "token",
    doors: ["web", "api"],
    credential: (secret) => ({ headers: { "PRIVATE-TOKEN": secret } }),
  },
  {
    account: "token",
    doors: ["web", "api"],
    credential: (secret) => ({ headers: { Authorization: `Bearer ${secret}` } }),
  },
  { account: "token", doors: ["web"], credential: (secret) => ({ headers: basic(secret) }) },
  { account: "token", doors: ["web", "api"], credential: (secret) => ({ query: `private_token=${secret}` }) },
  {
    account: "session",
    doors: ["web", "api", "pages"],
    credential: (secret) => ({ headers: { Cookie: `_gitlab_session=${secret}` } }),
  },
];

const MEMBERS = 12;
const STRANGERS = 2;

/** Each closed project has three in four of them as members; the last ones are members of none. */
export const PEOPLE: readonly Member[] = Array.from({ length: MEMBERS + STRANGERS }, (_, index) => {
  const form = FORMS[index % FORMS.length];
  if (form === undefined) throw new RangeError("There is no form of credential");
  const who = `person-${index}`;
  const secret = `load-secret-${index}`;
  return {
    asker: { who, headers: {}, query: "", doors: form.doors, ...form.credential(secret) },
    account: { form: form.account, secret, user: who },
    projects: index < MEMBERS ? closedProjects().filter((project) => isOf(index, project)) : [],
  };
});

/** Nobody in particular, and somebody whose token was never one. */
export const OUTSIDERS: readonly Asker[] = [
  { who: ANYBODY, headers: {}, query: "", doors: ["web", "api", "pages"] },
  { who: "forger", headers: { "PRIVATE-TOKEN": "load-never-issued" }, query: "", doors: ["web", "api"] },
];

/** A few of all, who are enough to keep a lane's caches warm: two members by token, one by session, a stranger, and anybody. */
export const LANE_ASKERS: readonly Asker[] = [
  ...[0, 1, 4, MEMBERS].flatMap((index) => PEOPLE[index]?.asker ?? []),
  ...OUTSIDERS.filter(({ who }) => who === ANYBODY),
];

export const KEYS = {
  first: { id: "LOADFIRST", secret: "load-first-secret", read: [...BUCKETS] },
  second: { id: "LOADSECOND", secret: "load-second-secret", read: [...BUCKETS] },
  stranger: { id: "LOADSTRANGER", secret: "load-stranger-secret", read: ["open"] },
} as const satisfies Readonly<Record<string, S3Key>>;

export const STORE_ASKERS: readonly StoreAsker[] = [
  ...Object.entries(KEYS).map(([who, { id, secret }]) => ({ who, key: { id, secret, region: "us-east-1" } })),
  { who: ANYBODY, key: undefined },
];

function closedProjects(): number[] {
  return Array.from({ length: PROJECTS }, (_, project) => project).filter(
    (project) => !isOpenProject(project),
  );
}

function isOf(person: number, project: number): boolean {
  return (person + ((project - 1) >> 1)) % 4 > 0;
}

function basic(secret: string): Record<string, string> {
  return { Authorization: `Basic ${Buffer.from(`oauth2:${secret}`).toString("base64")}` };
}
