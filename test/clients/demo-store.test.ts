import { afterAll, beforeAll, describe } from "vitest";
import { AWS_SDK } from "./aws-sdk.ts";
import { BOTO3 } from "./boto3.ts";
import { CURL } from "./curl.ts";
import { startDemoPlace, type Place } from "./place.ts";
import { readsAndWrites } from "./reads-and-writes.ts";

describe("Before the demo store", () => {
  let running: Place;
  beforeAll(async () => {
    running = await startDemoPlace();
  });
  afterAll(() => running.close());

  const place = () => running;
  const store = { keepsAnyKey: true, knowsChecksums: true, readsRefused: true };
  for (const client of [AWS_SDK, BOTO3, CURL]) readsAndWrites(client, { place, auth: "edge", ...store });
});
