import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { programsLack } from "../../scripts/servers/programs.ts";
import type { StoreAuth } from "../../src/core/site.ts";
import { describeWith } from "../servers/presence.ts";
import { AWS_SDK } from "./aws-sdk.ts";
import type { Client } from "./client.ts";
import { ALICE, BOB, BUCKET, type Place } from "./place.ts";
import type { S3User } from "../../scripts/servers/s3-user.ts";

const LACKS = await programsLack(["gdal_translate", "gdalinfo"]);

const SIDE = 2600;
const BANDS = 3;
const KEY = "maps/sentinel 2+b.tif";

/** In pixels of the image. */
type Part = { readonly left: number; readonly top: number; readonly width: number; readonly height: number };

const PARTS: readonly Part[] = [
  { left: 0, top: 0, width: 1, height: 1 },
  { left: 250, top: 511, width: 300, height: 200 },
  { left: 1900, top: 2000, width: 700, height: 600 },
];

/** GDAL reads parts of a tiled image of 20 MB, as geographers do, and gets what a reader of the file would. */
export function readsImages(place: () => Place, auth: StoreAuth): void {
  describeWith("GDAL", LACKS)(`GDAL, auth ${auth}`, () => {
    const pixels = randomBytes(SIDE * SIDE * BANDS);
    let directory: string;
    let client: Client;
    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), "forgefront-gdal-"));
      client = await AWS_SDK.start(place().host(auth));
      const body = await makeTiled(directory, pixels);
      await client.call({ operation: "put", as: ALICE, bucket: BUCKET, key: KEY, body });
    });
    afterAll(async () => {
      await client.close();
      await rm(directory, { recursive: true });
    });

    const settings = (as: S3User | undefined, more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
      ...process.env,
      AWS_S3_ENDPOINT: place().host(auth),
      AWS_HTTPS: "NO",
      AWS_VIRTUAL_HOSTING: "FALSE",
      AWS_REGION: "us-east-1",
      GDAL_PAM_ENABLED: "NO",
      CPL_VSIL_USE_TEMP_FILE_FOR_RANDOM_WRITE: "YES",
      ...(as === undefined
        ? { AWS_NO_SIGN_REQUEST: "YES" }
        : { AWS_ACCESS_KEY_ID: as.accessKey, AWS_SECRET_ACCESS_KEY: as.secretKey }),
      ...more,
    });
    const readPart = async (image: string, part: Part, env: NodeJS.ProcessEnv) => {
      const { left, top, width, height } = part;
      const out = join(directory, "part.ppm");
      const srcwin = ["-srcwin", left, top, width, height].map(String);
      await promisify(execFile)("gdal_translate", ["-q", "-of", "PNM", ...srcwin, image, out], { env });
      return (await readFile(out)).subarray(-width * height * BANDS);
    };
    const readsAll = async (image: string, env: NodeJS.ProcessEnv) => {
      for (const part of PARTS)
        expect((await readPart(image, part, env)).equals(cut(pixels, part))).toBe(true);
    };

    test.each(["FALSE", "TRUE"])("reads by /vsis3/, with AWS_VIRTUAL_HOSTING %s", async (virtual) => {
      const env = settings(ALICE, { AWS_VIRTUAL_HOSTING: virtual });
      await readsAll(`/vsis3/${BUCKET}/${KEY}`, env);
      const cost = await place().costOf(() => readsAll(`/vsis3/${BUCKET}/${KEY}`, env));
      // What it lists to find files beside the image is answered by the store
      expect(cost?.bytes ?? 0).toBeLessThan(100);
    });

    test("reads by /vsicurl/ from a presigned URL", async () => {
      const object = { as: ALICE, bucket: BUCKET, key: KEY, method: "GET", seconds: 300 } as const;
      const url = await client.presign?.(object);
      const image = `/vsicurl?use_head=no&list_dir=no&url=${encodeURIComponent(url ?? "")}`;
      const env = settings(undefined, { GDAL_DISABLE_READDIR_ON_OPEN: "EMPTY_DIR" });
      await readsAll(image, env);
      const cost = await place().costOf(() => readsAll(image, env));
      expect(cost ?? { requests: 0, bytes: 0 }).toEqual({ requests: 0, bytes: 0 });
    });

    test("writes a part by /vsis3/, and reads it again", async () => {
      const part = { left: 100, top: 200, width: 900, height: 800 };
      const window = ["-srcwin", "100", "200", "900", "800"];
      const [from, to] = [`/vsis3/${BUCKET}/${KEY}`, `/vsis3/${BUCKET}/maps/part.tif`];
      await promisify(execFile)("gdal_translate", ["-q", ...window, from, to], { env: settings(ALICE) });
      const all = { left: 0, top: 0, width: 900, height: 800 };
      expect((await readPart(to, all, settings(ALICE))).equals(cut(pixels, part))).toBe(true);
    });

    test("reads nothing as somebody else, or as nobody", async () => {
      for (const as of [BOB, undefined]) {
        const info = promisify(execFile)("gdalinfo", [`/vsis3/${BUCKET}/${KEY}`], { env: settings(as) });
        await expect(info).rejects.toThrow(/not recognized|does not exist|AccessDenied|403|Invalid/i);
      }
    });
  });
}

async function makeTiled(directory: string, pixels: Buffer): Promise<Buffer> {
  const [plain, tiled] = [join(directory, "plain.ppm"), join(directory, "tiled.tif")];
  await writeFile(plain, [`P6\n${SIDE} ${SIDE}\n255\n`, pixels]);
  await promisify(execFile)("gdal_translate", ["-q", "-co", "TILED=YES", plain, tiled]);
  return await readFile(tiled);
}

function cut(pixels: Buffer, { left, top, width, height }: Part): Buffer {
  const rows = Array.from({ length: height }, (_, row) => ((top + row) * SIDE + left) * BANDS);
  return Buffer.concat(rows.map((start) => pixels.subarray(start, start + width * BANDS)));
}
