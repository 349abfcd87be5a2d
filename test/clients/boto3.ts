import { spawn } from "node:child_process";
import { once } from "node:events";
import type { IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Call, Client, ClientKind, Presigning, Reply } from "./client.ts";
import { pythonEnvironment, pythonLacks } from "./python.ts";

/** The AWS SDK for Python, with all that it does unless it is told otherwise but trying again. */
export const BOTO3: ClientKind = {
  name: "boto3",
  signsConditions: true,
  checksums: true,
  presigns: true,
  streams: false,
  hearsRefusals: true,
  lacks: await pythonLacks(),
  start: startBoto3,
};

type Told = {
  readonly status: number;
  readonly code: string | null;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly keys: readonly string[];
  readonly url: string | null;
  /** An error that no store has told. */
  readonly failure?: string;
};

async function startBoto3(host: string): Promise<Client> {
  const program = join(import.meta.dirname, "boto3_client.py");
  const child = spawn("python3", [program, host], {
    env: await pythonEnvironment(),
    stdio: ["pipe", "pipe", "inherit"],
  });
  const gone = once(child, "exit");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let before: Promise<unknown> = Promise.resolve();
  const tell = async (call: object): Promise<Told> => {
    child.stdin.write(`${JSON.stringify(call)}\n`);
    const { value, done } = await lines.next();
    if (done === true) throw new Error("boto3 ended without an answer");
    const told = JSON.parse(value) as Told;
    if (told.failure !== undefined) throw new Error(`boto3 failed: ${told.failure}`);
    return told;
  };
  const inTurn = async (call: object) => {
    const told = before.then(() => tell(call));
    before = told.catch(() => {});
    return await told;
  };
  return {
    call: async (call) => readTold(await inTurn(inLine(call))),
    presign: async (presigning: Presigning) =>
      (await inTurn({ ...presigning, operation: "presign" })).url ?? "",
    async close() {
      child.stdin.end();
      await gone;
    },
  };
}

function inLine({ body, ...call }: Call): object {
  return body === undefined ? call : { ...call, body: body.toString("base64") };
}

function readTold({ status, code, headers, body, keys }: Told): Reply {
  return { status, code: code ?? undefined, headers, body: Buffer.from(body, "base64"), keys };
}
