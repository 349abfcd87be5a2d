import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { programsLack } from "../../scripts/servers/programs.ts";
import { connectDevtools, type Devtools } from "./devtools.ts";

const PROGRAM = "chromium";

/** A sentence that says what is missing to run a browser. */
export async function chromiumLacks(): Promise<string | undefined> {
  return await programsLack([PROGRAM]);
}

export type Cookie = {
  readonly url: string;
  readonly name: string;
  readonly value: string;
  readonly sameSite?: "Strict" | "Lax" | "None";
  readonly secure?: boolean;
};

/** A tab, with cookies and storage of its own. */
export type Page = {
  setCookie(cookie: Cookie): Promise<void>;
  /** Goes there as somebody who types the address; returns once all that the page loads is there. */
  visit(url: string): Promise<void>;
  /** Does what makes the page go elsewhere, and returns when it is there. */
  follow(expression: string): Promise<void>;
  reload(): Promise<void>;
  /** What an expression in the page comes to, promises included; it runs as if somebody had clicked. */
  evaluate<Value>(expression: string): Promise<Value>;
  /** Returns what an expression in the page comes to as soon as that is neither undefined nor false. */
  until<Value>(expression: string): Promise<Value>;
  /** Shows it on a screen of that size in CSS pixels, from now on. */
  resize(width: number, height: number): Promise<void>;
  /** All of it as it looks, also what is below the screen, as PNG. */
  picture(): Promise<Uint8Array>;
  /** What the browser has complained of: errors, and what policies forbade. */
  complaints(): readonly string[];
};

export type Browser = {
  open(): Promise<Page>;
  /** The addresses of all tabs and windows that there are. */
  addresses(): Promise<readonly string[]>;
  close(): Promise<void>;
};

/** Nothing that is asked for unless a test asks. */
const FLAGS = [
  "--headless=new",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-default-apps",
  "--disable-extensions",
  "--disable-sync",
  "--no-first-run",
  "--no-default-browser-check",
  "--no-proxy-server",
  "--remote-debugging-pipe",
];

export type ChromiumOptions = {
  /** Whether pages get cookies of other sites than that of the address bar; Chromium's own default is that they do not. */
  readonly thirdPartyCookies?: boolean;
};

/** A headless Chromium with a profile of its own, told what to do over pipes. */
export async function startChromium({ thirdPartyCookies = false }: ChromiumOptions = {}): Promise<Browser> {
  const profile = await mkdtemp(join(tmpdir(), "forgefront-chromium-"));
  if (thirdPartyCookies) await allowThirdPartyCookies(profile);
  const child = spawn(PROGRAM, [...FLAGS, `--user-data-dir=${profile}`, "about:blank"], {
    stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
  });
  const gone = once(child, "exit");
  const devtools = connectDevtools(child.stdio[3] as Writable, child.stdio[4] as Readable);
  return {
    open: async () => await openPage(devtools),
    async addresses() {
      const { targetInfos } = await devtools.send<{ targetInfos: { type: string; url: string }[] }>(
        "Target.getTargets",
      );
      return targetInfos.filter(({ type }) => type === "page").map(({ url }) => url);
    },
    async close() {
      await endChromium(child, devtools, gone);
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Only a browser that has not started yet takes this from its preferences. */
async function allowThirdPartyCookies(profile: string): Promise<void> {
  await mkdir(join(profile, "Default"));
  const cookies = { block_third_party_cookies: false, cookie_controls_mode: 0 };
  await writeFile(join(profile, "Default/Preferences"), JSON.stringify({ profile: cookies }));
}

const END_MS = 5000;

async function endChromium(child: ChildProcess, devtools: Devtools, gone: Promise<unknown>): Promise<void> {
  void devtools.send("Browser.close").catch(() => undefined); // it may be gone before it answers
  const isGone = await Promise.race([gone.then(() => true), sleep(END_MS, false)]);
  if (isGone) return;
  child.kill("SIGKILL");
  await gone;
}

async function openPage(devtools: Devtools): Promise<Page> {
  const { browserContextId } = await devtools.send<{ browserContextId: string }>(
    "Target.createBrowserContext",
  );
  const { targetId } = await devtools.send<{ targetId: string }>("Target.createTarget", {
    url: "about:blank",
    browserContextId,
  });
  const { sessionId } = await devtools.send<{ sessionId: string }>("Target.attachToTarget", {
    targetId,
    flatten: true,
  });
  const send = <Result>(method: string, params: object = {}) =>
    devtools.send<Result>(method, params, sessionId);
  const complaints: string[] = [];
  devtools.listen(sessionId, ({ method, params }) => {
    const complaint = complaintOf(method, params);
    if (complaint !== undefined) complaints.push(complaint);
    // Nobody is there to answer, and the page waits
    if (method === "Page.javascriptDialogOpening") void send("Page.handleJavaScriptDialog", { accept: true });
  });
  for (const domain of ["Page", "Runtime", "Log", "Network"]) await send(`${domain}.enable`);

  const goes = async (act: () => Promise<unknown>) => {
    const loaded = nextEvent(devtools, sessionId, "Page.loadEventFired");
    await act();
    await loaded;
  };
  const evaluate = async <Value>(expression: string) => {
    const options = { expression, awaitPromise: true, returnByValue: true, userGesture: true };
    const { result, exceptionDetails: thrown } = await send<Evaluated<Value>>("Runtime.evaluate", options);
    if (thrown !== undefined) throw new Error(`${thrown.text} ${thrown.exception?.description ?? ""}`);
    return result.value;
  };

  return {
    setCookie: async ({ secure = false, ...cookie }) =>
      void (await send("Network.setCookie", { path: "/", httpOnly: true, secure, ...cookie })),
    visit: (url) => goes(() => send("Page.navigate", { url })),
    follow: (expression) => goes(() => evaluate(expression)),
    reload: () => goes(() => send("Page.reload")),
    evaluate,
    until: async (expression) => await until(() => evaluate(expression), expression),
    async resize(width, height) {
      const screen = { width, height, deviceScaleFactor: 1, mobile: width < PHONE_WIDTH };
      await send("Emulation.setDeviceMetricsOverride", screen);
    },
    async picture() {
      const options = { format: "png", captureBeyondViewport: true };
      return Buffer.from((await send<{ data: string }>("Page.captureScreenshot", options)).data, "base64");
    },
    complaints: () => complaints,
  };
}

/** A narrower screen is that of a phone, which scales what is wider. */
const PHONE_WIDTH = 600;

type Evaluated<Value> = {
  readonly result: { readonly value: Value };
  readonly exceptionDetails?: {
    readonly text: string;
    readonly exception?: { readonly description?: string };
  };
};

const PATIENCE_MS = 10_000;
const PAUSE_MS = 20;

async function until<Value>(read: () => Promise<unknown>, what: string): Promise<Value> {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(PAUSE_MS)) {
    const value = await read();
    if (value !== undefined && value !== false) return value as Value;
  }
  throw new Error(`In ${PATIENCE_MS} ms it did not come to be: ${what}`);
}

async function nextEvent(devtools: Devtools, sessionId: string, name: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const stop = devtools.listen(sessionId, ({ method }) => {
    if (method === name) resolve();
  });
  const timer = setTimeout(() => reject(new Error(`No ${name} in ${PATIENCE_MS} ms`)), PATIENCE_MS);
  await promise.finally(() => {
    clearTimeout(timer);
    stop();
  });
}

function complaintOf(method: string, params: Record<string, unknown>): string | undefined {
  if (method === "Log.entryAdded") {
    const { level, text, url } = params["entry"] as { level: string; text: string; url?: string };
    return level === "error" || level === "warning" ? `${text} ${url ?? ""}`.trim() : undefined;
  }
  if (method !== "Runtime.exceptionThrown") return undefined;
  const { text, exception } = params["exceptionDetails"] as NonNullable<Evaluated<never>["exceptionDetails"]>;
  return `${text} ${exception?.description ?? ""}`.trim();
}
