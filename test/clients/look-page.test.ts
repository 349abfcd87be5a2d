import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startDemo, type Demo } from "../../scripts/demo/demo.ts";
import { startLocalEdge, type LocalEdge } from "../../scripts/local-edge.ts";
import { quietPort } from "../../scripts/servers/quiet-port.ts";
import { ask } from "../edge/scene.ts";
import { breakBodies, half } from "../edge/origin-faults.ts";
import { describeWith } from "../servers/presence.ts";
import { TEST_WORKER } from "../worker/bundled.ts";
import { chromiumLacks, startChromium, type Browser, type Page } from "./chromium.ts";

const LACKS = await chromiumLacks();

const TOKEN = "control-token-of-the-tests";
/** Runs where it is not written as a text, and has nowhere to break but between any two letters. */
const HOSTILE = `<img src=x onerror="document.title='run'">${"long".repeat(50)}.txt`;
/** A desk's screen, and a phone's, with the tables of figures that are wider than it. */
const SCREENS = [
  [1200, 900, []],
  [390, 844, ["Hits by cache and tier"]],
] as const;

/** Where pictures of the page are left for people (`LOOK_PICTURES`), if they want them. */
const PICTURES = process.env["LOOK_PICTURES"];

describeWith("Chromium", LACKS)("the page in Chromium", () => {
  let demo: Demo;
  let edge: LocalEdge;
  let browser: Browser;
  let host: string;
  let port: number;
  const startEdge = async () =>
    await startLocalEdge({
      ...TEST_WORKER,
      ports: [port],
      vars: {
        KEY_SECRET: "a secret of the tests",
        CONTROL_TOKEN: TOKEN,
        BLOCK_BYTES: 16 * 1024,
        SITES: [{ host, kind: "gitlab", origin: demo.gitlab.url }],
      },
    });
  beforeAll(async () => {
    port = await quietPort();
    host = `127.0.0.1:${port}`;
    [demo, browser] = await Promise.all([startDemo({ bigFileBytes: 100_000 }), startChromium()]);
    edge = await startEdge();
    await demo.gitlab.commit("demo/hello", "main", { [HOSTILE]: "x".repeat(100_000) });
  });
  afterAll(async () => {
    demo.gitlab.intercept = undefined;
    await Promise.all([browser.close(), edge.close()]);
    await demo.close();
  });

  const read = async (path: string, times = 1) => {
    for (let count = 0; count < times; count++) await ask(`http://${host}${path}`);
  };
  const README = "/demo/hello/-/raw/main/README.md";
  /** Something of everything that the page shows. */
  const traffic = async () => {
    await read(README, 30);
    await read("/demo/hello/-/raw/main/big/blob.bin", 3);
    await read("/api/v4/projects/1/pipelines", 5);
    await read("/demo/hello/-/jobs/1001/artifacts/download", 2);
    await read("/users/sign_in");
    await read("/demo/hello/-/raw/main/none");
    const sent = breakBodies(demo.gitlab, (response, { status, headers, body }) => {
      response.writeHead(status, headers);
      response.write(half(body), () => response.socket?.destroy());
    });
    await read(`/demo/hello/-/raw/main/${encodeURIComponent(HOSTILE)}`);
    expect(sent()).toBeGreaterThan(0);
    demo.gitlab.intercept = (_, response) => {
      response.socket?.destroy();
      return true;
    };
    await read("/demo/other/-/raw/main/README.md");
    demo.gitlab.intercept = undefined;
  };

  /** As somebody who types the token where the browser asks for a password. */
  const signIn = async (): Promise<Page> => {
    const page = await browser.open();
    await page.visit(`http://anybody:${TOKEN}@${host}/-/forgefront/`);
    return page;
  };
  const shown = (selector: string) => `document.querySelector(${JSON.stringify(selector)}).textContent`;
  const tile = (name: string) =>
    `[...document.querySelectorAll(".tiles div")].find((each) => each.innerText.startsWith(${JSON.stringify(name)})).innerText`;
  const rawRequests = `[...document.querySelectorAll("th")].find((each) => each.innerText === "Raw files").nextSibling.innerText`;

  it("is for who signs in with a password", async () => {
    const page = await signIn();
    expect(await page.evaluate(shown("h1"))).toBe("Forgefront");
    expect(await page.evaluate("location.href")).not.toContain(TOKEN);
    const other = await browser.open();
    await other.visit(`http://anybody:wrong-token@${host}/-/forgefront/`);
    expect(await other.evaluate(`document.querySelector("h1") === null`)).toBe(true);
  });

  it.each(SCREENS)("fits a screen of %i by %i pixels, whatever is on it", async (width, height, wider) => {
    await traffic();
    const page = await signIn();
    await page.resize(width, height);
    await page.reload();
    await page.evaluate(`document.querySelector("details").open = true`);
    const wide = await page.evaluate<{
      overflow: number;
      screen: number;
      beyond: string[];
      wider: string[];
    }>(`({
      overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
      screen: innerWidth,
      beyond: [...document.querySelectorAll("body *")]
        .filter((each) => each.closest(".scroll") === null)
        .filter((each) => each.getBoundingClientRect().right > innerWidth + 1)
        .map((each) => each.outerHTML.slice(0, 80)),
      wider: [...document.querySelectorAll("#figures .scroll")]
        .filter((each) => each.scrollWidth > each.clientWidth)
        .map((each) => each.previousSibling.innerText),
    })`);
    expect(wide).toEqual({ overflow: 0, screen: width, beyond: [], wider });
    if (PICTURES !== undefined) {
      const directory = await mkdtemp(join(PICTURES, "look-"));
      await writeFile(join(directory, `${width}.png`), await page.picture());
    }
    expect(page.complaints()).toEqual([]);
  });

  it("shows what others have named as they named it, and runs nothing of it", async () => {
    await traffic();
    const page = await signIn();
    expect(await page.evaluate(`document.querySelector("#figures").innerText`)).toContain(HOSTILE);
    expect(await page.evaluate("document.querySelectorAll('img').length")).toBe(0);
    expect(await page.evaluate("document.title")).toBe("Forgefront");
  });

  it("has its style, its script and its drawings under its own policy", async () => {
    await traffic();
    const page = await signIn();
    expect(await page.evaluate(`getComputedStyle(document.querySelector(".tiles")).display`)).toBe("grid");
    const bar = `document.querySelector(".shares .memory").getBoundingClientRect().width`;
    expect(await page.evaluate<number>(bar)).toBeGreaterThan(20);
    const color = `getComputedStyle(document.querySelector(".shares .memory")).fill`;
    expect(await page.evaluate(color)).not.toBe("rgb(0, 0, 0)");
    expect(page.complaints()).toEqual([]);
  });

  it("looks again by itself, and leaves open what somebody has opened", async () => {
    const page = await signIn();
    await page.evaluate(`document.querySelector("details").open = true; window.isSame = true;`);
    const before = Number(await page.evaluate<string>(rawRequests));
    const state = await page.evaluate<string>(shown("#state"));
    await read(README, 7);
    expect(await page.until(`${rawRequests} === "${before + 7}" && ${rawRequests}`)).toBe(String(before + 7));
    expect(await page.evaluate(shown("#state"))).not.toBe(state);
    expect(await page.evaluate(`isSame && document.querySelector("details").open`)).toBe(true);
    expect(page.complaints()).toEqual([]);
  });

  it("says so when the edge stops answering, and goes on when it answers again", async () => {
    const page = await signIn();
    await edge.close();
    expect(await page.until<string>(`document.querySelector("#state.lost")?.textContent`)).toMatch(
      /^Not answered: /,
    );
    // What was seen last stays.
    expect(await page.evaluate(tile("Isolates seen"))).toMatch(/\n1\n/);
    edge = await startEdge();
    await page.until(`document.querySelector("#state").className === ""`);
    expect(await page.evaluate(shown("#state"))).toMatch(/^As of \d\d:\d\d:\d\d UTC$/);
    await read(README, 3);
    await page.until(`${rawRequests} === "3"`);
  }, 60_000);
});
