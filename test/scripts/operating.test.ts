import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { unstable_readConfig } from "wrangler";
import { ROOT } from "../../scripts/bundle.ts";
import { readFigures } from "../../scripts/costs/figures.ts";
import { figuresTable, largestSentence, teamsTable } from "../../scripts/costs/tables.ts";
import { readConfig } from "../../src/core/config.ts";
import { startHarness, type Harness } from "../edge/harness.ts";
import { blocksOf, readPage, run, shapeOf, stepsOf, tableOf } from "./operating-page.ts";

const EXAMPLES = ["gitlab", "gitea", "ceph"] as const;
const WRANGLER = "WRANGLER_LOG=log WRANGLER_SEND_METRICS=false node node_modules/wrangler/bin/wrangler.js";
const SECRETS = {
  KEY_SECRET: "a secret of the tests",
  S3_KEYS: { ACCESSKEY: "secret" },
  WEBHOOK_SECRET: "webhook-secret-of-the-tests",
  CONTROL_TOKEN: "control-token-of-the-tests",
};

const page = await readPage();

describe("docs/examples", () => {
  test.each(EXAMPLES)(
    "%s.toml is deployed by wrangler as far as it goes without an account",
    async (name) => {
      const said = await run(
        `${WRANGLER} deploy workers/edge.ts --dry-run -c docs/examples/${name}.toml 2>&1`,
      );
      expect(said).toContain("--dry-run: exiting now.");
      for (const binding of ["FORGEFRONT_KV", "FORGEFRONT_EVENTS", "SITES"])
        expect(said).toContain(`env.${binding} (`);
      expect(said).not.toMatch(/warning|error/i);
    },
  );

  test.each(EXAMPLES)("%s.toml has no fault, and asks for the secrets that it needs", async (name) => {
    const config = exampleOf(name);
    const secrets = Object.fromEntries(
      Object.entries(SECRETS).filter(([secret]) => config.secrets?.required?.includes(secret)),
    );
    expect(faultsOf({ ...config.vars, ...secrets })).toEqual([]);
    expect(secrets).toHaveProperty("WEBHOOK_SECRET");
  });

  test.each(EXAMPLES)("%s.toml is like wrangler.toml but for its site and its route", (name) => {
    const [ours, theirs] = [exampleOf(name), unstable_readConfig({ config: join(ROOT, "wrangler.toml") })];
    for (const field of [
      "compatibility_date",
      "compatibility_flags",
      "kv_namespaces",
      "analytics_engine_datasets",
      "keep_names",
      "workers_dev",
      "preview_urls",
      "observability",
    ] as const) {
      expect([field, ours[field]]).toEqual([field, theirs[field]]);
    }
  });

  test.each(EXAMPLES)("%s.toml has a route for each host of its sites", (name) => {
    const config = exampleOf(name);
    const sites = config.vars["SITES"] as { host: string }[];
    const hosts = sites.flatMap(({ host }) => (host.startsWith("*.") ? [host.slice(2), host] : [host]));
    const routes = (config.routes ?? []) as { pattern: string }[];
    expect(routes.map(({ pattern }) => pattern).toSorted()).toEqual(
      hosts.map((host) => `${host}/*`).toSorted(),
    );
  });

  test.each(EXAMPLES)("%s.toml stands on the page as it is", async (name) => {
    const file = await readFile(join(ROOT, `docs/examples/${name}.toml`), "utf8");
    const tomls = blocksOf(page).filter(({ language }) => language === "toml");
    expect(tomls.map(({ text }) => text)).toContain(file);
    expect(tomls).toHaveLength(EXAMPLES.length);
  });

  test("one name is enough, as the page says", () => {
    const { vars } = exampleOf("gitlab");
    const sites = [{ host: "git.example.com", kind: "gitlab", origin: "https://git.example.com" }];
    expect(faultsOf({ ...vars, ...SECRETS, SITES: sites })).toEqual([]);
  });
});

/** The command whose help names a command. */
function parentOf(command: string): string {
  return command.split(" ").slice(0, -1).join(" ");
}

function faultsOf(vars: Readonly<Record<string, unknown>>): readonly string[] {
  const answer = readConfig(vars);
  return answer.kind === "faults" ? answer.faults : [];
}

function exampleOf(name: string) {
  return unstable_readConfig({ config: join(ROOT, `docs/examples/${name}.toml`) });
}

describe("commands of the page", () => {
  let harness: Harness;
  beforeAll(async () => {
    const vars = { CONTROL_TOKEN: "local-control-token", WEBHOOK_SECRET: "local-webhook-secret" };
    harness = await startHarness({ bigFileBytes: 100_000, vars });
  });
  afterAll(() => harness.close());

  /** The same, asked of the edge of the tests in the place of that of `npm start`. */
  const here = (command: string) =>
    command
      .replaceAll("http://127.0.0.1:8787", harness.gitlab)
      .replaceAll("http://127.0.0.1:8788", harness.gitea)
      .replaceAll("http://127.0.0.1:8789", harness.s3);

  test("print what the page says, one after the other", async () => {
    const steps = stepsOf(page);
    expect(steps.length).toBeGreaterThan(15);
    const seen: string[] = [];
    for (const { command } of steps) seen.push(`$ ${command}\n${shapeOf(await run(here(command)))}`);
    expect(seen).toEqual(steps.map(({ command, printed }) => `$ ${command}\n${shapeOf(printed)}`));
  }, 60_000);

  test("are known to wrangler, where they need an account", async () => {
    const shells = blocksOf(page).filter(({ language }) => language === "sh");
    const text = shells.map((block) => block.text).join("\n");
    const inBlocks = [...text.matchAll(/npx wrangler ([a-z ]+)/g)];
    const inLines = [...page.matchAll(/`(?:[^`]*\| )?npx wrangler ([a-z ]+)[^`]*`/g)];
    const names = [...inBlocks, ...inLines].map(([, words = ""]) => words.trim());
    const commands = [
      ...new Set(names.map((name) => /^(kv namespace|secret|versions) \w+|^\w+/.exec(name)?.[0] ?? name)),
    ];
    expect(commands.length).toBeGreaterThan(6);
    for (const parent of new Set(commands.map(parentOf))) {
      const said = await run(`${WRANGLER} ${parent} --help 2>&1`);
      for (const command of commands.filter((each) => parentOf(each) === parent)) {
        expect(said).toMatch(new RegExp(`^ +wrangler ${command} `, "m"));
      }
    }
  }, 60_000);
});

describe("what the page says of costs", () => {
  const rows = (table: string, heading: string) => tableOf(table, heading);

  test("is what the figures say (npm run costs -- --tables)", async () => {
    const figures = await readFigures();
    expect(tableOf(page, "a request")).toEqual(rows(figuresTable(figures), "a request"));
    expect(tableOf(page, "a month of")).toEqual(rows(teamsTable(figures), "a month of"));
    expect(page).toContain(largestSentence(figures));
  });
});

describe("what the page says of tests", () => {
  const promises = tableOf(page, "promise").slice(1);

  test("has a line for each promise of the README", async () => {
    const readme = await readFile(join(ROOT, "README.md"), "utf8");
    const promised = /^## What it promises\n(.*?)^## /ms.exec(readme)?.[1] ?? "";
    const numbers = [...promised.matchAll(/^(\d+)\. /gm)].map(([, number]) => number);
    expect(numbers.length).toBeGreaterThan(0);
    expect(promises.map(([promise = ""]) => /^\d+/.exec(promise)?.[0])).toEqual(numbers);
  });

  test.each(promises)("%s", async (_, held = "") => {
    const parts = held.split(";").map((part) => part.trim());
    for (const part of parts) {
      const files = [...part.matchAll(/`([^`]+)`/g)].map(([, file = ""]) => file);
      expect(files).not.toEqual([]);
      for (const file of files) {
        const text = await readFile(join(ROOT, file), "utf8");
        for (const [, words = ""] of part.matchAll(/"([^"]+)"/g)) expect(text).toContain(words);
      }
    }
  });
});
