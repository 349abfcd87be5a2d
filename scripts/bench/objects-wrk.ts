import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { load, type LoadResult } from "./wrk.ts";

/**
 * Sends the requests of a file, of which each ends with an empty line, over and over; or, told the number of connections,
 * each once, and says how long it took until all were answered. wrk asks for one request before the first, to look at it.
 */
const SCRIPT = `
local ffi = require("ffi")
ffi.cdef[[
  typedef struct { long seconds; long nanoseconds; } bench_time;
  int clock_gettime(int clock, bench_time *time);
  int getpid(void);
  int kill(int pid, int signal);
]]
local MONOTONIC, SIGINT = 1, 2
local requests, sent, connections = {}, -1, nil
local threads = {}

local function now()
  local time = ffi.new("bench_time")
  ffi.C.clock_gettime(MONOTONIC, time)
  return tonumber(time.seconds) + tonumber(time.nanoseconds) / 1e9
end

function setup(thread)
  threads[1] = thread
end

function init(args)
  local file = assert(io.open(args[1], "rb"))
  for request in file:read("*a"):gmatch(".-\\r\\n\\r\\n") do
    requests[#requests + 1] = request
  end
  file:close()
  connections = tonumber(args[2])
end

function request()
  sent = sent + 1
  if sent == 0 then return requests[1] end
  if connections == nil then return requests[(sent - 1) % #requests + 1] end
  if sent == 1 then beganAt = now() end
  if sent <= #requests then return requests[sent] end
  -- A connection asks again once it has its answer
  if sent == #requests + connections then
    endedAt = now()
    ffi.C.kill(ffi.C.getpid(), SIGINT)
  end
  return ""
end

function done()
  local began, ended = threads[1]:get("beganAt"), threads[1]:get("endedAt")
  if ended ~= nil then io.write(string.format("All answered after: %.6f s\\n", ended - began)) end
end
`;

export type SignedLoad = {
  /** Where the script is written, and where it finds its requests. */
  readonly directory: string;
  readonly url: string;
  /** The path of a file of requests. */
  readonly requests: string;
  readonly connections: number;
  /** How long it lasts; at most so long where each request is sent once. */
  readonly seconds: number;
  readonly bodyBytes: number;
  readonly signal: AbortSignal;
};

/** Loads a server with signed requests, over and over. */
export async function loadSigned(plan: SignedLoad): Promise<LoadResult> {
  return await loadWith(plan, []);
}

/** Sends each request of a file of so many once; the rate is that until the last answer. */
export async function loadOnce(plan: SignedLoad, count: number): Promise<LoadResult> {
  const result = await loadWith(plan, [String(plan.connections)]);
  const { allAfterS } = result;
  return allAfterS === undefined ? result : { ...result, requestsPerS: count / allAfterS }; // or the time was over
}

async function loadWith(plan: SignedLoad, more: readonly string[]): Promise<LoadResult> {
  const { directory, requests, ...rest } = plan;
  const script = join(directory, "requests.lua");
  await writeFile(script, SCRIPT);
  return await load({ ...rest, headers: {}, script: { path: script, args: [requests, ...more] } });
}
