import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import type { IncomingHttpHeaders } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { programsLack } from "../../scripts/servers/programs.ts";
import { encode } from "../edge/s3-client.ts";
import { addressOf, type Call, type Client, type ClientKind, type Reply } from "./client.ts";

/** curl, which signs what it is given and knows nothing else of S3. */
export const CURL: ClientKind = {
  name: "curl --aws-sigv4",
  signsConditions: false,
  checksums: false,
  presigns: false,
  streams: false,
  hearsRefusals: true,
  lacks: await programsLack(["curl"]),
  start: async (host) => startCurl(host),
};

function startCurl(host: string): Client {
  return {
    async call(call) {
      const directory = await mkdtemp(join(tmpdir(), "forgefront-curl-"));
      try {
        const body = call.operation === "delete all" ? await listToDelete(call, host, directory) : call.body;
        return await runCurl(body === undefined ? call : { ...call, body }, host, directory);
      } finally {
        await rm(directory, { recursive: true, force: true });
      }
    },
    async close() {},
  };
}

/** What names the objects to delete (S3: DeleteObjects). */
async function listToDelete(call: Call, host: string, directory: string): Promise<Buffer> {
  const { keys } = await runCurl({ ...call, operation: "list" }, host, directory);
  return Buffer.from(`<Delete>${keys.map((key) => `<Object><Key>${key}</Key></Object>`).join("")}</Delete>`);
}

async function runCurl(call: Call, host: string, directory: string): Promise<Reply> {
  const [head, sent, got] = ["head", "sent", "got"].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ];
  await writeFile(sent, call.body ?? "");
  await writeFile(got, "");
  const { as } = call;
  const signing = ["--aws-sigv4", "aws:amz:us-east-1:s3", "--user", `${as.accessKey}:${as.secretKey}`];
  const output = [
    "--silent",
    "--show-error",
    "--ipv4",
    "--path-as-is",
    "--dump-header",
    head,
    "--output",
    got,
  ];
  const args = [...output, ...signing, ...argumentsOf(call, sent), urlOf(call, host)];
  await promisify(execFile)("curl", args);
  return readReply(await readFile(head, "latin1"), await readFile(got));
}

function urlOf(call: Call, host: string): string {
  const address = addressOf(call, host);
  // This curl signs a query as it stands: sorted, and with every value
  if (call.operation === "list")
    return `${address}/?encoding-type=url&list-type=2&prefix=${encode(call.key)}`;
  if (call.operation === "delete all") return `${address}/?delete=`;
  return `${address}/${call.key.split("/").map(encode).join("/")}`;
}

function argumentsOf({ operation, bucket, source, ...call }: Call, file: string): string[] {
  const metadata = Object.entries(call.metadata ?? {}).map(([name, value]) => `x-amz-meta-${name}: ${value}`);
  const type = `content-type: ${call.contentType ?? "binary/octet-stream"}`;
  // Without it this curl signs the hash of the payload, and does not say so
  const coding = call.contentEncoding === undefined ? [] : [`content-encoding: ${call.contentEncoding}`];
  const headers = ["x-amz-content-sha256: UNSIGNED-PAYLOAD", type, ...coding, ...metadata];
  const given = (lines: readonly string[]) => lines.flatMap((line) => ["--header", line]);
  if (operation === "upload") return [...given(headers), "--upload-file", file];
  // A path that does not end in a name would be given that of the file to upload
  if (operation === "put") return [...given(headers), "--request", "PUT", "--data-binary", `@${file}`];
  if (operation === "copy") {
    const from = `x-amz-copy-source: /${bucket}/${encode(source ?? "")}`;
    return [...given([...headers, from]), "--request", "PUT"];
  }
  if (operation === "delete all") {
    const md5 = `content-md5: ${createHash("md5")
      .update(call.body ?? "")
      .digest("base64")}`;
    return [...given([...headers, md5]), "--request", "POST", "--data-binary", `@${file}`];
  }
  if (operation === "delete") return [...given(headers), "--request", "DELETE"];
  if (operation === "head") return [...given(headers), "--head"];
  const ifMatch = call.ifMatch === undefined ? [] : [`if-match: ${call.ifMatch}`];
  const ifNoneMatch = call.ifNoneMatch === undefined ? [] : [`if-none-match: ${call.ifNoneMatch}`];
  const range = call.range === undefined ? [] : ["--range", call.range.replace("bytes=", "")];
  return [...given([...headers, ...ifMatch, ...ifNoneMatch]), ...range];
}

function readReply(head: string, body: Buffer): Reply {
  const [line = "", ...fields] = head.trim().split("\r\n\r\n").at(-1)?.split("\r\n") ?? [];
  const headers: IncomingHttpHeaders = {};
  for (const field of fields) {
    const [name = "", ...value] = field.split(":");
    headers[name.toLowerCase()] = value.join(":").trim();
  }
  const text = body.subarray(0, 1_000_000).toString();
  const code = /<Code>(\w+)<\/Code>/.exec(text)?.[1];
  const keys = [...text.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = ""]) => readKey(key, text));
  return { status: Number(line.split(" ")[1] ?? 0), headers, code, body, keys };
}

/** A key in a list, which is encoded where the list says so: as asked, but not by every store. */
function readKey(text: string, list: string): string {
  const entities = { "&apos;": "'", "&quot;": '"', "&lt;": "<", "&gt;": ">", "&amp;": "&" };
  const key = Object.entries(entities).reduce((plain, [from, to]) => plain.replaceAll(from, to), text);
  return list.includes("<EncodingType>url") ? decodeURIComponent(key.replaceAll("+", " ")) : key;
}
