import { afterAll, beforeAll } from "vitest";
import { versitygwLacks } from "../../scripts/servers/versitygw.ts";
import { describeWith } from "../servers/presence.ts";
import { AWS_SDK } from "./aws-sdk.ts";
import { BOTO3 } from "./boto3.ts";
import { CURL } from "./curl.ts";
import { readsImages } from "./gdal.ts";
import { startVersitygwPlace, type Place } from "./place.ts";
import { readsAndWrites } from "./reads-and-writes.ts";

describeWith("versitygw", await versitygwLacks())("Before versitygw", () => {
  let running: Place;
  beforeAll(async () => {
    running = await startVersitygwPlace();
  });
  afterAll(() => running.close());

  const place = () => running;
  const store = { keepsAnyKey: false, knowsChecksums: true, readsRefused: false };
  for (const auth of ["edge", "probe"] as const) {
    for (const client of [AWS_SDK, BOTO3, CURL]) readsAndWrites(client, { place, auth, ...store });
  }
  readsImages(place, "probe");
});
