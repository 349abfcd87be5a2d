import exec from "k6/execution";
import http from "k6/http";
import { Rate, Trend } from "k6/metrics";

/*
 * Reads files of branches at a rate that does not wait for answers. PLAN says, as JSON, what `k6.ts` calls a `K6Plan`.
 * A reader that resolves asks git first what the branch stands for, each time, and reads the file at that commit.
 */

const { rate, seconds, clients, timeoutS, base, files, resolves } = JSON.parse(__ENV.PLAN);
const LS_REFS = packets("command=ls-refs\n", undefined, "ref-prefix refs/heads/main\n");

const took = new Trend("took", true);
const failed = new Rate("failed");

export const options = {
  scenarios: {
    steady: {
      executor: "constant-arrival-rate",
      exec: "read",
      rate,
      timeUnit: "1s",
      duration: `${seconds}s`,
      preAllocatedVUs: clients,
      maxVUs: clients,
      gracefulStop: `${2 * timeoutS + 1}s`,
    },
  },
  summaryTrendStats: ["avg", "med", "p(95)", "p(99)", "max", "count"],
};

export function read() {
  const file = files[exec.scenario.iterationInTest % files.length];
  const resolved = resolves ? resolve(file) : { revision: "main", ms: 0 };
  const answer = resolved.revision ? readAt(file, resolved.revision) : { isRight: false, ms: 0 };
  took.add(resolved.ms + answer.ms);
  failed.add(!answer.isRight);
}

function readAt(file, revision) {
  const url = `${base}/${file.project}/-/raw/${revision}/${file.path}`;
  const parameters = { headers: file.headers, redirects: 0, timeout: `${timeoutS}s` };
  const { response, ms } = timed(() => http.get(url, parameters));
  return { isRight: response.status === 200 && response.body.length === file.bytes, ms };
}

function resolve(file) {
  const headers = Object.assign(
    { "Content-Type": "application/x-git-upload-pack-request", "Git-Protocol": "version=2" },
    file.gitHeaders,
  );
  const url = `${base}/${file.project}.git/git-upload-pack`;
  const parameters = { headers, redirects: 0, timeout: `${timeoutS}s` };
  const { response, ms } = timed(() => http.post(url, LS_REFS, parameters));
  const found = /[0-9a-f]{40}(?= refs\/heads\/main)/.exec(response.body || "");
  return { revision: response.status === 200 && found ? found[0] : undefined, ms };
}

/** k6 times what was answered to fractions of a millisecond, and what was not answered not at all. */
function timed(ask) {
  const began = Date.now();
  const response = ask();
  const { blocked, connecting, duration } = response.timings;
  return { response, ms: response.status === 0 ? Date.now() - began : blocked + connecting + duration };
}

export function handleSummary({ metrics }) {
  const { took: time, failed: failures, dropped_iterations: dropped } = metrics;
  const summary = {
    took: time ? time.values : undefined,
    failed: failures ? failures.values.passes : 0,
    dropped: dropped ? dropped.values.count : 0,
  };
  return { stdout: JSON.stringify(summary) };
}

/** Lines of git's protocol (gitprotocol-common(5), "pkt-line"), with its delimiter where one is undefined, and its end. */
function packets(...lines) {
  const packet = (line) => (line.length + 4).toString(16).padStart(4, "0") + line;
  return `${lines.map((line) => (line === undefined ? "0001" : packet(line))).join("")}0000`;
}
