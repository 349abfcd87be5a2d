import { expect, test } from "vitest";
import { parseWrk } from "../../scripts/bench/wrk.ts";

const GOOD = `Running 2s test @ http://127.0.0.1:8787/file
  1 threads and 32 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     2.32ms    1.05ms  24.35ms   92.07%
    Req/Sec    14.10k     1.21k   15.61k    80.00%
  Latency Distribution
     50%    2.11ms
     75%    2.50ms
     90%  990.00us
     99%    1.05s
  28113 requests in 2.01s, 112.50MB read
Requests/sec:  13996.51
Transfer/sec:     56.01MB
`;

test("parseWrk() reads the rate, the totals and the percentiles", () => {
  expect(parseWrk(GOOD)).toEqual({
    requestsPerS: 13_996.51,
    requests: 28_113,
    bytes: 112.5 * 1024 ** 2,
    p50Ms: 2.11,
    p99Ms: 1050,
    refused: 0,
    broken: 0,
  });
});

test.each([
  ["10.00KB", 10 * 1024],
  ["812.00B", 812],
  ["1.50GB", 1.5 * 1024 ** 3],
])("parseWrk() takes %s for %d bytes", (text, bytes) => {
  expect(parseWrk(GOOD.replace("112.50MB", text)).bytes).toBe(bytes);
});

test("parseWrk() counts refusals and broken connections", () => {
  const errors =
    "  Socket errors: connect 1, read 2, write 3, timeout 4\n  Non-2xx or 3xx responses: 17\nRequests/sec:";
  expect(parseWrk(GOOD.replace("Requests/sec:", errors))).toMatchObject({ refused: 17, broken: 10 });
});

test("parseWrk() refuses what wrk never says", () => {
  expect(() => parseWrk("unable to connect to 127.0.0.1:8787")).toThrow("Cannot read what wrk says");
});

test("parseWrk() reads when everything was answered, where a script says so", () => {
  expect(parseWrk(`${GOOD}All answered after: 0.226422 s\n`).allAfterS).toBe(0.226_422);
  expect(parseWrk(GOOD).allAfterS).toBeUndefined();
});
