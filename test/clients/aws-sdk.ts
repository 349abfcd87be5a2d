import { Agent, type IncomingHttpHeaders } from "node:http";
import { Readable } from "node:stream";
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
  UploadPartCommand,
  paginateListObjectsV2,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import type { Call, Client, ClientKind, Presigning, Reply } from "./client.ts";

/** The AWS SDK for JavaScript, with all that it does unless it is told otherwise but trying again. */
export const AWS_SDK: ClientKind = {
  name: "the AWS SDK for JavaScript",
  signsConditions: true,
  checksums: true,
  presigns: true,
  streams: true,
  hearsRefusals: false,
  lacks: undefined,
  start: async (host) => startSdk(host),
};

const PART_BYTES = 8 * 1024 * 1024;

function startSdk(host: string): Client {
  const httpAgent = localAgent();
  const clients = new Map<string, S3Client>();
  const clientOf = ({ as, style = "path" }: Pick<Call, "as" | "style">) => {
    const name = `${style} ${as.accessKey} ${as.secretKey}`;
    const client = clients.get(name) ?? newClient({ host, httpAgent, as, style });
    clients.set(name, client);
    return client;
  };
  return {
    call: async (call) => await runCall(clientOf(call), call),
    presign: async (presigning) => await presign(clientOf(presigning), presigning),
    async close() {
      for (const client of clients.values()) client.destroy();
      httpAgent.destroy();
    },
  };
}

/** Finds every name on this machine, as a browser does with those under `localhost`. */
function localAgent(): Agent {
  return new Agent({
    keepAlive: true,
    lookup: (_name, options, found) =>
      options.all ? found(null, [{ address: "127.0.0.1", family: 4 }]) : found(null, "127.0.0.1", 4),
  });
}

type Setup = Required<Pick<Call, "as" | "style">> & { readonly host: string; readonly httpAgent: Agent };

function newClient({ host, httpAgent, as, style }: Setup): S3Client {
  const client = new S3Client({
    endpoint: `http://${host}`,
    region: "us-east-1",
    forcePathStyle: style === "path",
    credentials: { accessKeyId: as.accessKey, secretAccessKey: as.secretKey },
    requestHandler: { httpAgent },
    maxAttempts: 1,
  });
  return client;
}

async function presign(client: S3Client, { method, bucket, key, seconds }: Presigning): Promise<string> {
  const object = { Bucket: bucket, Key: key };
  const command = method === "GET" ? new GetObjectCommand(object) : new PutObjectCommand(object);
  return await getSignedUrl(client, command, { expiresIn: seconds });
}

type Heard = { statusCode?: number; headers?: IncomingHttpHeaders };
type Output = { readonly body?: Buffer; readonly keys?: readonly string[] };

async function runCall(client: S3Client, call: Call): Promise<Reply> {
  const heard: Heard = {};
  const listener = client.middlewareStack.clone();
  listener.add(
    (next) => async (args) => {
      const result = await next(args);
      Object.assign(heard, result.response);
      return result;
    },
    { step: "deserialize", priority: "low", name: "heard" },
  );
  const listening = Object.assign(Object.create(client) as S3Client, { middlewareStack: listener });
  const reply = ({ body = Buffer.alloc(0), keys = [] }: Output, code?: string): Reply => ({
    status: heard.statusCode ?? 0,
    headers: heard.headers ?? {},
    code,
    body,
    keys,
  });
  try {
    return reply(await send(listening, call));
  } catch (error) {
    if (!(error instanceof S3ServiceException)) throw error;
    return reply({}, error.name);
  }
}

async function send(client: S3Client, call: Call): Promise<Output> {
  const { operation, bucket, key, body = Buffer.alloc(0), range, ifMatch, ifNoneMatch, source } = call;
  const object = { Bucket: bucket, Key: key };
  const said = { ContentType: call.contentType, ContentEncoding: call.contentEncoding };
  const described = { ...object, ...said, Metadata: call.metadata };
  if (operation === "put") {
    const sent = call.isStreamed === true ? Readable.from(piecesOf(body)) : body;
    await client.send(new PutObjectCommand({ ...described, Body: sent, ContentLength: body.length }));
  }
  if (operation === "upload") await uploadParts(client, described, body);
  if (operation === "head") await client.send(new HeadObjectCommand(object));
  if (operation === "delete") await client.send(new DeleteObjectCommand(object));
  if (operation === "copy") {
    const from = `${bucket}/${encodeURIComponent(source ?? "")}`;
    await client.send(new CopyObjectCommand({ ...object, CopySource: from }));
  }
  if (operation === "list" || operation === "delete all") {
    const keys = await list(client, object);
    if (operation === "list") return { keys };
    const Objects = keys.map((name) => ({ Key: name }));
    await client.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects } }));
  }
  if (operation === "get" || operation === "download") {
    const conditions = { Range: range, IfMatch: ifMatch, IfNoneMatch: ifNoneMatch };
    const { Body } = await client.send(new GetObjectCommand({ ...object, ...conditions }));
    return { body: Buffer.from((await Body?.transformToByteArray()) ?? []) };
  }
  return {};
}

const PIECE_BYTES = 64 * 1024;

function* piecesOf(body: Buffer): Generator<Buffer> {
  for (let start = 0; start < body.length; start += PIECE_BYTES)
    yield body.subarray(start, start + PIECE_BYTES);
}

/** A few at a time, so that each page is asked for with what the last one said. */
async function list(client: S3Client, { Bucket, Key }: Described): Promise<string[]> {
  const keys: string[] = [];
  for await (const { Contents = [] } of paginateListObjectsV2(
    { client, pageSize: 10 },
    { Bucket, Prefix: Key },
  ))
    keys.push(...Contents.map((item) => item.Key ?? ""));
  return keys;
}

type Described = { readonly Bucket: string; readonly Key: string };

async function uploadParts(client: S3Client, described: Described, body: Buffer): Promise<void> {
  const { Bucket, Key } = described;
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(described));
  const numbers = Array.from({ length: Math.ceil(body.length / PART_BYTES) }, (_, index) => index + 1);
  const Parts = await Promise.all(
    numbers.map(async (PartNumber) => {
      const Body = body.subarray((PartNumber - 1) * PART_BYTES, PartNumber * PART_BYTES);
      const { ETag } = await client.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body }));
      return { ETag, PartNumber };
    }),
  );
  await client.send(
    new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }),
  );
}
