import { afterAll, beforeAll } from "vitest";
import { cephRgwLacks } from "../../scripts/servers/ceph-rgw.ts";
import { describeWith } from "../servers/presence.ts";
import { movesFiles } from "./aws-cli.ts";
import { AWS_SDK } from "./aws-sdk.ts";
import { BOTO3 } from "./boto3.ts";
import { asksCeph } from "./ceph-questions.ts";
import { CURL } from "./curl.ts";
import { readsImages } from "./gdal.ts";
import { startCephPlace, type Place } from "./place.ts";
import { readsAndWrites } from "./reads-and-writes.ts";

describeWith("Ceph RGW", await cephRgwLacks())("Before Ceph RGW", () => {
  let running: Place;
  beforeAll(async () => {
    running = await startCephPlace();
  });
  afterAll(() => running.close());

  const place = () => running;
  const store = { keepsAnyKey: true, knowsChecksums: false, readsRefused: true };
  for (const auth of ["edge", "rgw"] as const) {
    for (const client of [AWS_SDK, BOTO3, CURL]) readsAndWrites(client, { place, auth, ...store });
    movesFiles(place, auth);
    readsImages(place, auth);
  }
  asksCeph(place);
});
