import { gzipSync } from "node:zlib";
import type { Jobs } from "./jobs.ts";
import { sampleArchive, SAMPLE_ARCHIVE_TIME, smallArchive } from "./sample-archive.ts";
import { PRIVATE_MARKER } from "./sample-content.ts";

const JUNIT = '<?xml version="1.0"?>\n<testsuite tests="1"><testcase name="greets"/></testsuite>\n';

/** The jobs that the GitLab-shaped forge has when it starts, one for each way of delivery that GitLab has itself, and a private one. */
export function addSampleJobs(jobs: Jobs): void {
  const job = { ref: "main", lastModified: SAMPLE_ARCHIVE_TIME } as const;
  jobs.addJob({
    ...job,
    project: "demo/hello",
    id: 1001,
    name: "build",
    archive: sampleArchive("Build of hello"),
    storage: "local",
  });
  const junit = { bytes: gzipSync(JUNIT), fileName: "junit.xml.gz", contentType: "application/gzip" };
  jobs.addJob({
    ...job,
    project: "demo/hello",
    id: 1002,
    name: "coverage",
    archive: sampleArchive("Coverage of hello"),
    storage: "object",
    reports: { junit },
  });
  jobs.addJob({
    ...job,
    project: "demo/nested/secret",
    id: 2001,
    name: "build",
    archive: smallArchive({
      "README.md": "# Artifacts of secret\n",
      "private/report.txt": `${PRIVATE_MARKER} report of secret\n`,
    }),
    storage: "local",
  });
}
