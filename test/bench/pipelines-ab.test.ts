import { expect, test } from "vitest";
import { parseAb } from "../../scripts/bench/ab.ts";

const GOOD = `This is ApacheBench, Version 2.3 <$Revision$>

Benchmarking 127.0.0.1 (be patient).....done

Document Path:          /api/v4/projects/1/pipelines?per_page=100
Document Length:        31643 bytes

Concurrency Level:      5
Time taken for tests:   4.387 seconds
Complete requests:      1000
Failed requests:        0
Total transferred:      32396000 bytes
HTML transferred:       31643000 bytes
Requests per second:    227.95 [#/sec] (mean)
Time per request:       21.934 [ms] (mean)
Time per request:       4.387 [ms] (mean, across all concurrent requests)

Percentage of the requests served within a certain time (ms)
  50%     21
  66%     23
  99%     41
 100%     58 (longest request)
`;

test("parseAb() reads the rate, the totals and the percentiles", () => {
  expect(parseAb(GOOD)).toEqual({
    requestsPerS: 227.95,
    requests: 1000,
    failed: 0,
    refused: 0,
    bodyBytes: 31_643,
    p50Ms: 21,
    p99Ms: 41,
  });
});

test("parseAb() counts answers of another length, and refusals", () => {
  const odd = GOOD.replace(
    "Failed requests:        0",
    "Failed requests:        97\nNon-2xx responses:      10",
  );
  expect(parseAb(odd)).toMatchObject({ failed: 97, refused: 10 });
});

test("parseAb() refuses what ab never says", () => {
  expect(() => parseAb("apr_socket_recv: Connection refused (111)")).toThrow("Cannot read what ab says");
});
