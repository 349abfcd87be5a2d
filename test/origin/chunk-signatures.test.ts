import { createHash, createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { resignChunks, type SigningChain } from "../../src/origin/chunk-signatures.ts";

const SECRET = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
const encoder = new TextEncoder();

function sha256(data: Uint8Array | string): string {
  return createHash("sha256").update(data).digest("hex");
}

function hmac(key: Uint8Array | string, text: string): Uint8Array {
  return createHmac("sha256", key).update(text).digest();
}

function chainOf(amzDate: string, region: string, seedSignature: string): SigningChain {
  const parts = [amzDate.slice(0, 8), region, "s3", "aws4_request"];
  let signingKey = encoder.encode(`AWS4${SECRET}`);
  for (const part of parts) signingKey = new Uint8Array(hmac(signingKey, part));
  return { signingKey, amzDate, scope: parts.join("/"), seedSignature };
}

/** The signatures of chunks, and of the canonical text of a trailer where there is one, as Amazon describes them. */
function signaturesOf(chain: SigningChain, chunks: readonly Uint8Array[], canonical?: string): string[] {
  const { signingKey, amzDate, scope, seedSignature } = chain;
  const signatures: string[] = [];
  const sign = (algorithm: string, hashes: string): void => {
    const text = `${algorithm}\n${amzDate}\n${scope}\n${signatures.at(-1) ?? seedSignature}\n${hashes}`;
    signatures.push(Buffer.from(hmac(signingKey, text)).toString("hex"));
  };
  for (const chunk of chunks) sign("AWS4-HMAC-SHA256-PAYLOAD", `${sha256("")}\n${sha256(chunk)}`);
  if (canonical !== undefined) sign("AWS4-HMAC-SHA256-TRAILER", sha256(canonical));
  return signatures;
}

/** A body of chunks, the last of them empty, and of trailer lines where there are any. */
function bodyOf(signatures: readonly string[], chunks: readonly Uint8Array[], lines?: string): Uint8Array {
  const parts = chunks.flatMap((chunk, index) => [
    Buffer.from(`${chunk.length.toString(16)};chunk-signature=${signatures[index]}\r\n`),
    chunk,
    Buffer.from(chunk.length > 0 ? "\r\n" : ""),
  ]);
  const end = lines === undefined ? "" : `${lines}x-amz-trailer-signature:${signatures.at(-1)}\r\n`;
  return new Uint8Array(Buffer.concat([...parts, Buffer.from(`${end}\r\n`)]));
}

type Outcome = { readonly bytes: Uint8Array; readonly error: unknown };

async function drain(stream: ReadableStream<Uint8Array>): Promise<Outcome> {
  const pieces: Uint8Array[] = [];
  let error: unknown;
  try {
    for await (const piece of stream) pieces.push(piece);
  } catch (thrown) {
    error = thrown;
  }
  return { bytes: new Uint8Array(Buffer.concat(pieces)), error };
}

function streamOf(pieces: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
}

type Chains = { readonly from: SigningChain; readonly to: SigningChain; readonly hasTrailer: boolean };

async function resigned(body: Uint8Array, chains: Chains, cuts: readonly number[] = []): Promise<Outcome> {
  const places = [0, ...cuts, body.length].map((cut) => cut % (body.length + 1)).toSorted((a, b) => a - b);
  const pieces = places.slice(1).map((end, index) => body.subarray(places[index], end));
  return await drain(streamOf(pieces).pipeThrough(resignChunks(chains)));
}

const A = "a".charCodeAt(0);
/** Amazon S3 API Reference: the 66,560 bytes of "Example: PUT Object", and the empty chunk after them. */
const CHUNKS = [new Uint8Array(65536).fill(A), new Uint8Array(1024).fill(A), new Uint8Array(0)];
const OTHER = chainOf("20261121T043000Z", "eu-central-1", sha256("another request"));

describe("resignChunks() of Amazon's example", () => {
  const from = chainOf(
    "20130524T000000Z",
    "us-east-1",
    "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9",
  );
  const documented = [
    "ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648",
    "0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497",
    "b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9",
  ];
  const body = bodyOf(documented, CHUNKS);
  const chains = { from, to: OTHER, hasTrailer: false };

  it("resignChunks() does sign it for another request, without another difference", async () => {
    const { bytes, error } = await resigned(body, chains);
    expect(error).toBeUndefined();
    expect(Buffer.compare(bytes, bodyOf(signaturesOf(OTHER, CHUNKS), CHUNKS))).toBe(0);
    expect(bytes.length).toBe(body.length);
  });

  it("resignChunks() does make the documented signatures from those of another request", async () => {
    const other = bodyOf(signaturesOf(OTHER, CHUNKS), CHUNKS);
    const { bytes, error } = await resigned(other, { from: OTHER, to: from, hasTrailer: false });
    expect(error).toBeUndefined();
    expect(Buffer.compare(bytes, body)).toBe(0);
  });

  it.each<[what: string, change: Partial<SigningChain>]>([
    ["seed", { seedSignature: sha256("") }],
    ["date", { amzDate: "20130524T000001Z" }],
    ["scope", { scope: "20130524/us-east-2/s3/aws4_request" }],
    ["key", { signingKey: OTHER.signingKey }],
  ])("resignChunks() does let nothing through under another %s", async (_, change) => {
    const { bytes, error } = await resigned(body, { ...chains, from: { ...from, ...change } });
    expect(error).toMatchObject({ problem: "chunk_signature_mismatch" });
    expect(bytes.length).toBe(0);
  });

  it("resignChunks() does let no byte of a chunk through whose data is not what was signed", async () => {
    const changed = Uint8Array.from(body);
    const first = body.indexOf(10) + 1 + 65536 + 2; // header, data, line end
    const lastOfSecond = first + body.subarray(first).indexOf(10) + 1024;
    changed[lastOfSecond] = A + 1;
    const { bytes, error } = await resigned(changed, chains);
    expect(error).toMatchObject({ problem: "chunk_signature_mismatch", detail: "chunk" });
    const expected = bodyOf(signaturesOf(OTHER, CHUNKS), CHUNKS);
    expect(bytes.length).toBeLessThanOrEqual(first - 2); // an error may overtake the chunk before
    expect(Buffer.compare(bytes, expected.subarray(0, bytes.length))).toBe(0);
  });

  it.each([
    ["swapped", [1, 0, 2]],
    ["repeated", [0, 0, 1, 2]],
    ["left out", [1, 2]],
    ["left out at the end", [0, 2]],
  ])("resignChunks() does refuse chunks that are %s", async (_, order) => {
    const signatures = order.map((index) => documented[index] ?? "");
    const chunks = order.map((index) => CHUNKS[index] ?? new Uint8Array(0));
    const { error } = await resigned(bodyOf(signatures, chunks), chains);
    expect(error).toMatchObject({ problem: "chunk_signature_mismatch" });
  });

  it("resignChunks() does hold a chunk back until its last byte is there, and then no longer", async () => {
    const { readable, writable } = resignChunks(chains);
    const writer = writable.getWriter();
    const reader = readable.getReader();
    const firstChunk = body.indexOf(10) + 1 + 65536;
    let arrived = false;
    const read = reader.read().then((result) => {
      arrived = true;
      return result;
    });
    await writer.write(body.subarray(0, firstChunk - 1));
    expect(arrived).toBe(false);
    await writer.write(body.subarray(firstChunk - 1, firstChunk));
    expect((await read).value?.length).toBe(firstChunk);
    await reader.cancel();
  });

  it.each<[what: string, from: Uint8Array, fault: string]>([
    ["is cut off", body.subarray(0, -1), "truncated"],
    ["goes on", new Uint8Array([...body, 10]), "excess"],
    ["is not chunked", new Uint8Array(1000).fill(A), "header"],
  ])("resignChunks() does fail where the body %s", async (_, changed, fault) => {
    const { error } = await resigned(changed, chains);
    expect(error).toMatchObject({ problem: "chunk_malformed", detail: fault });
  });

  it("resignChunks() does keep the end back until the client ended it there", async () => {
    const { readable, writable } = resignChunks(chains);
    const writer = writable.getWriter();
    const drained = drain(readable);
    await writer.write(body);
    await expect(writer.write(Uint8Array.of(10))).rejects.toMatchObject({ problem: "chunk_malformed" });
    const { bytes, error } = await drained;
    expect(error).toMatchObject({ problem: "chunk_malformed" });
    expect(bytes.length).toBe(body.length - 2);
  });
});

describe("resignChunks() of Amazon's example with a trailer", () => {
  const from = chainOf(
    "20130524T000000Z",
    "us-east-1",
    "106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e",
  );
  const documented = [
    "b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2",
    "1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7",
    "2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992",
    "d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435",
  ];
  const lines = "x-amz-checksum-crc32c:sOO8/Q==\r\n";
  const canonical = "x-amz-checksum-crc32c:sOO8/Q==\n";
  const body = bodyOf(documented, CHUNKS, lines);
  const chains = { from, to: OTHER, hasTrailer: true };
  const expected = signaturesOf(OTHER, CHUNKS, canonical);

  it("resignChunks() does sign it for another request, without another difference", async () => {
    const { bytes, error } = await resigned(body, chains);
    expect(error).toBeUndefined();
    expect(Buffer.compare(bytes, bodyOf(expected, CHUNKS, lines))).toBe(0);
  });

  it("resignChunks() does make the documented signatures from those of another request", async () => {
    const back = { from: OTHER, to: from, hasTrailer: true };
    const { bytes } = await resigned(bodyOf(expected, CHUNKS, lines), back);
    expect(Buffer.compare(bytes, body)).toBe(0);
  });

  it("resignChunks() does keep the additional LF of minio-go", async () => {
    const spelled = "x-amz-checksum-crc32c:sOO8/Q==\n\r\n";
    const { bytes } = await resigned(bodyOf(documented, CHUNKS, spelled), chains);
    expect(Buffer.compare(bytes, bodyOf(expected, CHUNKS, spelled))).toBe(0);
  });

  it.each([
    ["value", "x-amz-checksum-crc32c:sOO8/g==\r\n"],
    ["name", "x-amz-checksum-crc32d:sOO8/Q==\r\n"],
    ["additional line", `${lines}a:b\r\n`],
    ["missing line", ""],
  ])("resignChunks() does let nothing through of a trailer with another %s", async (_, changed) => {
    const { bytes, error } = await resigned(bodyOf(documented, CHUNKS, changed), chains);
    expect(error).toMatchObject({ problem: "chunk_signature_mismatch", detail: "trailer" });
    expect(Buffer.from(bytes).includes("crc32")).toBe(false);
  });

  it.each([
    ["a trailer where none was announced", body, false],
    ["no trailer where one was announced", bodyOf(documented, CHUNKS), true],
  ])("resignChunks() does refuse %s", async (_, sent, hasTrailer) => {
    const { error } = await resigned(sent, { ...chains, hasTrailer });
    expect(error).toMatchObject({ problem: "chunk_malformed" });
  });
});

describe("any signed body", () => {
  const from = chainOf("20261121T000000Z", "us-east-1", sha256("a request"));
  const data = fc.uint8Array({ minLength: 1, maxLength: 40 });
  const lines = fc.array(fc.stringMatching(/^[a-z][a-z0-9-]{0,8}:[!-~]{1,12}\n?\r\n$/), { maxLength: 3 });
  const signed = fc
    .tuple(fc.array(data, { maxLength: 4 }), fc.option(lines, { nil: undefined }))
    .map(([filled, trailer]) => {
      const chunks = [...filled, new Uint8Array(0)];
      const text = trailer?.join("");
      const canonical = text?.replaceAll(/\n?\r\n/g, "\n");
      const bodyUnder = (chain: SigningChain) => bodyOf(signaturesOf(chain, chunks, canonical), chunks, text);
      return { sent: bodyUnder(from), wanted: bodyUnder(OTHER), hasTrailer: text !== undefined };
    });

  it("resignChunks() does sign it anew however it is cut", async () => {
    await fc.assert(
      fc.asyncProperty(signed, fc.array(fc.nat()), async ({ sent, wanted, hasTrailer }, cuts) => {
        const { bytes, error } = await resigned(sent, { from, to: OTHER, hasTrailer }, cuts);
        expect(error).toBeUndefined();
        expect(Buffer.compare(bytes, wanted)).toBe(0);
      }),
    );
  });

  it("resignChunks() does never give a whole body where one byte is another", async () => {
    const change = fc.record({ place: fc.nat(), byte: fc.nat({ max: 255 }) });
    await fc.assert(
      fc.asyncProperty(signed, change, async ({ sent, wanted, hasTrailer }, { place, byte }) => {
        const changed = Uint8Array.from(sent);
        changed[place % sent.length] = byte;
        // The case of a size says nothing; all else does.
        fc.pre(Buffer.from(changed).toString("latin1").toLowerCase() !== lowercase(sent));
        const { bytes, error } = await resigned(changed, { from, to: OTHER, hasTrailer });
        expect(error).toMatchObject({ problem: expect.stringMatching(/^chunk_/) });
        expect(bytes.length).toBeLessThan(wanted.length);
      }),
      { numRuns: 2000 },
    );
  });
});

function lowercase(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("latin1").toLowerCase();
}
