import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startHarness, type Harness } from "../edge/harness.ts";
import { describeWith } from "../servers/presence.ts";
import { startCareless } from "./careless-forge.ts";
import { chromiumLacks, startChromium, type Browser, type Cookie, type Page } from "./chromium.ts";
import { ATTACKS, attackOf, BY, FOUND, FRAMED, HOSTILE_REPORT, OPENED } from "./hostile-report.ts";
import { ACTIVE_FILES, archiveOf, HTML_REPORT, REPORT_WORKS, type ReportWorks } from "./html-report.ts";

const LACKS = await chromiumLacks();

const ODD_NAMES = ["Größe (1) & #2?.txt", "<img src=x onerror=alert(1)>.txt", "100%25.txt"] as const;

const WORKS: ReportWorks = {
  origin: "null",
  style: true,
  imported: true,
  inlineStyle: true,
  inline: true,
  script: true,
  module: true,
  worker: true,
  image: 1,
  drawing: 7,
  frames: 1,
};
/** A page of which nothing but itself is had. */
const ALONE: ReportWorks = {
  ...WORKS,
  style: false,
  imported: false,
  script: false,
  module: false,
  worker: false,
  image: 0,
  drawing: 0,
};

/** How GitLab sets its session's cookie: over HTTP, and over HTTPS. Browsers take the first one for `Lax`. */
const SESSIONS: readonly Pick<Cookie, "sameSite" | "secure">[] = [
  {},
  { sameSite: "Lax" },
  { sameSite: "None", secure: true },
];
const NONE = { sameSite: "None", secure: true } as const;

type Arrived = {
  readonly url: string;
  /** The attack that has asked for it. */
  readonly by: string | undefined;
};

describeWith("Chromium", LACKS)("in Chromium", () => {
  let harness: Harness;
  let browser: Browser;
  /** One that sends cookies to other sites' pages, as Chromium no longer does by itself. */
  let lenient: Browser;
  const urls: Record<string, string> = {};
  const at = (door: string) => urls[door] ?? "";
  beforeAll(async () => {
    [harness, browser, lenient] = await Promise.all([
      startHarness({ bigFileBytes: 1000 }),
      startChromium(),
      startChromium({ thirdPartyCookies: true }),
    ]);
    const odd = Object.fromEntries(ODD_NAMES.map((name) => [`odd/${name}`, name]));
    const archive = archiveOf({ ...HTML_REPORT, ...HOSTILE_REPORT, ...ACTIVE_FILES, ...odd });
    const job = { name: "report", ref: "main", archive, storage: "local" } as const;
    const open = harness.demo.gitlab.jobs.addJob({ ...job, project: "demo/hello" });
    const secret = harness.demo.gitlab.jobs.addJob({ ...job, project: "demo/nested/secret" });
    harness.store.put("public", "report.zip", archive, { "Content-Type": "application/zip" });
    const web = `${harness.gitlab}/demo/hello/-/jobs`;
    urls["browse"] = `${web}/${open.id}/artifacts/browse/`;
    urls["file"] = `${web}/${open.id}/artifacts/file/`;
    urls["raw"] = `${web}/${open.id}/artifacts/raw/`;
    urls["API"] = `${harness.gitlab}/api/v4/projects/1/jobs/${open.id}/artifacts/`;
    urls["store"] = `${harness.s3}/public/report.zip!/`;
    urls["latest"] = `${web}/artifacts/main/file/`;
    urls["secret"] = `${harness.gitlab}/demo/nested/secret/-/jobs/${secret.id}/artifacts/file/`;
  });
  afterAll(async () => {
    harness.demo.gitlab.intercept = undefined;
    await Promise.all([browser.close(), lenient.close(), harness.close()]);
  });

  const signedIn = async (to: Browser, session: (typeof SESSIONS)[number]): Promise<Page> => {
    const page = await to.open();
    await page.setCookie({
      url: harness.gitlab,
      name: "_gitlab_session",
      value: "session-reader",
      ...session,
    });
    return page;
  };
  /** What reaches the forge from now on. */
  const arrivals = (): readonly Arrived[] => {
    const arrived: Arrived[] = [];
    harness.demo.gitlab.intercept = ({ url = "" }) => {
      arrived.push({ url, by: attackOf(url) });
      return false;
    };
    return arrived;
  };
  /** What comes of a hostile report, and what of it reaches the forge. */
  const suffer = async (page: Page, url: string) => {
    const arrived = arrivals();
    await page.visit(url);
    const outcome = await found(page);
    // As if somebody had clicked, so that windows may open
    const opened = await page.evaluate(`String(open("/?${BY}=window"))`);
    return { outcome, opened, reached: arrived.flatMap(({ by }) => by ?? []) };
  };
  const works = (page: Page) => page.evaluate<ReportWorks>(REPORT_WORKS);
  const found = async (page: Page) =>
    JSON.parse(await page.until<string>(FOUND)) as Readonly<Record<string, string>>;

  describe("the page of a directory", () => {
    it.each(["browse", "store"])("leads to what is in it (%s)", async (door) => {
      const page = await browser.open();
      await page.visit(at(door));
      expect(await page.evaluate("getComputedStyle(document.querySelector('table')).borderCollapse")).toBe(
        "collapse",
      );
      await page.follow(link("report/"));
      await page.follow(link("index.html"));
      expect(await page.evaluate("document.title")).toBe("Report");
      expect(page.complaints()).toEqual([]);
    });

    it.each(["browse", "store"])("knows files of odd names (%s)", async (door) => {
      for (const name of ODD_NAMES) {
        const page = await browser.open();
        await page.visit(`${at(door)}odd/`);
        expect(await page.evaluate("document.images.length + document.scripts.length")).toBe(0);
        await page.follow(link(name));
        expect(await page.evaluate("document.body.textContent")).toBe(name);
      }
    });
  });

  describe("a report", () => {
    it.each(["file", "raw", "API", "latest", "store"])("works (%s)", async (door) => {
      const page = await browser.open();
      await page.visit(`${at(door)}report/index.html${door === "latest" ? "?job=report" : ""}`);
      await page.until("document.querySelector('#worker').textContent === 'ran'");
      expect(await works(page)).toEqual(WORKS);
      await page.reload();
      await page.until("document.querySelector('#worker').textContent === 'ran'");
      expect(await works(page)).toEqual(WORKS);
      await page.follow("document.querySelector('#sub').click()");
      expect(
        await page.evaluate("[document.title, getComputedStyle(document.querySelector('h1')).color]"),
      ).toEqual(["Sub-page", "rgb(1, 2, 3)"]);
      await page.follow("document.querySelector('#up').click()");
      expect(await page.evaluate("document.title")).toBe("Report");
      expect(page.complaints()).toEqual([]);
    });

    it.each(Object.keys(ACTIVE_FILES))("is nobody's in %s", async (path) => {
      const page = await signedIn(browser, {});
      await page.visit(at("file") + path);
      expect(await page.evaluate("self.origin")).toBe("null");
      await expect(page.evaluate("document.cookie")).rejects.toThrow("SecurityError");
    });
  });

  describe.each(SESSIONS)("a hostile report, before a session with SameSite $sameSite", (session) => {
    it("can do nothing for whoever looks at it, once and again", async () => {
      const page = await signedIn(browser, session);
      expect(await suffer(page, `${at("file")}evil/index.html`)).toEqual(HARMLESS);
      expect(await suffer(page, `${at("file")}evil/index.html`)).toEqual(HARMLESS);
      expect((await browser.addresses()).filter((address) => address.includes(BY))).toEqual([]);
    });

    it("can do nothing though cookies go wherever they may", async () => {
      await askAsNobody(`${at("file")}evil/alone.js`);
      expect(await suffer(await signedIn(lenient, session), `${at("file")}evil/index.html`)).toEqual(
        HARMLESS,
      );
    });

    it("can do nothing to a page of the forge that it is shown in", async () => {
      const page = await signedIn(browser, session);
      await page.visit(`${harness.gitlab}/users/sign_in`);
      const arrived = arrivals();
      await page.evaluate(framing(`${at("file")}evil/framed.html`));
      expect(JSON.parse(await page.until<string>("self.heard"))).toEqual(outcomes(FRAMED));
      expect(await page.evaluate("location.pathname")).toBe("/users/sign_in");
      expect(arrived.filter(({ by }) => by !== undefined)).toEqual([]);
    });

    it("can do nothing to a page of the forge that has opened it", async () => {
      const page = await signedIn(browser, session);
      await page.visit(`${harness.gitlab}/users/sign_in`);
      const arrived = arrivals();
      await page.evaluate(opening(`${at("file")}evil/opened.html`));
      expect(JSON.parse(await page.until<string>("self.heard"))).toEqual(outcomes(OPENED));
      expect(await page.evaluate("location.pathname")).toBe("/users/sign_in");
      expect(arrived.filter(({ by }) => by !== undefined)).toEqual([]);
    });
  });

  it("a hostile report does all of it where nothing is forbidden", async () => {
    const careless = await startCareless();
    const page = await browser.open();
    await page.setCookie({ url: careless.url, name: "_gitlab_session", value: "session-reader" });
    await page.visit(`${careless.url}/evil/index.html`);
    const outcome = await found(page);
    const failed = ATTACKS.filter(
      ({ name, comesTo }) => outcome[name] === comesTo && !careless.arrived.has(name),
    );
    expect(failed.map(({ name }) => name)).toEqual([]);
    expect(await page.evaluate(`String(open("/?${BY}=window"))`)).not.toBe("null");
    await careless.close();
  });

  it.each(["raw", "API"])("a hostile report can do nothing (%s)", async (door) => {
    expect(await suffer(await signedIn(browser, {}), `${at(door)}evil/index.html`)).toEqual(HARMLESS);
  });

  describe("a report that not everybody may see", () => {
    // Its files are asked for from a page of no origin, and so without the cookie
    it.each(SESSIONS)("shows its pages, but no files of theirs (SameSite $sameSite)", async (session) => {
      for (const each of [browser, lenient]) {
        const page = await signedIn(each, session);
        const arrived = arrivals();
        await page.visit(`${at("secret")}report/index.html`);
        expect(await works(page)).toEqual(ALONE);
        await page.follow("document.querySelector('#sub').click()");
        expect(await page.evaluate("document.title")).toBe("Sub-page");
        const asked = arrived.map(({ url }) => url);
        expect(asked.includes("/users/sign_in")).toBe(each === browser || session.sameSite !== "None");
        expect(asked.filter((url) => !EXPECTED.test(url))).toEqual([]);
      }
    });

    it("is not for pages of other sites, though they ask with the cookie", async () => {
      const page = await signedIn(lenient, NONE);
      await page.visit(`${at("secret")}report/index.html`);
      await page.visit(harness.demo.gitea.url.replace("127.0.0.1", "localhost"));
      for (const [tag, path] of [
        ["img", "images/pixel.png"],
        ["script", "js/part.js"],
      ] as const) {
        const url = `${at("secret")}report/${path}`;
        expect([tag, await page.evaluate(loading(tag, url))]).toEqual([tag, "error"]);
        const open = url.replace(at("secret"), at("file"));
        await askAsNobody(open);
        expect([tag, await page.evaluate(loading(tag, open))]).toEqual([tag, "load"]);
      }
    });

    it("is not shown to who has not signed in", async () => {
      const page = await browser.open();
      await page.visit(`${at("secret")}report/index.html`);
      expect(await page.evaluate("[document.title, location.pathname]")).toEqual([
        "Sign in",
        "/users/sign_in",
      ]);
    });
  });
});

const HARMLESS = { outcome: outcomes(ATTACKS), opened: "null", reached: [] };

/** That a project may be read is known only for those with the cookie; the others are asked to sign in. */
const EXPECTED = /^\/(?:demo\/nested\/secret\/-\/jobs\/|users\/sign_in$|favicon\.ico$)/;

/** That everybody may read something is known once somebody without a name has. */
async function askAsNobody(url: string): Promise<void> {
  expect((await fetch(url)).status).toBe(200);
}

function outcomes(attacks: readonly { readonly name: string; readonly comesTo: string }[]) {
  return Object.fromEntries(attacks.map(({ name, comesTo }) => [name, comesTo]));
}

/** Clicks on the link that has a text. */
function link(text: string): string {
  return `[...document.links].find((link) => link.textContent === ${JSON.stringify(text)}).click()`;
}

function framing(url: string): string {
  return `onmessage = ({ data }) => { self.heard = data; };
    void (document.body.appendChild(document.createElement("iframe")).src = ${JSON.stringify(url)})`;
}

function opening(url: string): string {
  return `onmessage = ({ data }) => { self.heard = data; }; void open(${JSON.stringify(url)})`;
}

function loading(tag: string, url: string): string {
  return `new Promise((resolve) => {
    const made = document.createElement(${JSON.stringify(tag)});
    made.onload = made.onerror = ({ type }) => resolve(type);
    made.src = ${JSON.stringify(url)};
    document.body.append(made);
  })`;
}
