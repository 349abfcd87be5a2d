import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Intercept } from "./forge.ts";
import { sendFailure } from "./s3-exchange.ts";
import type { S3State } from "./s3-exchange.ts";
import { S3Failure } from "./s3-failure.ts";
import { findOperation } from "./s3-operations.ts";
import type { S3Operation } from "./s3-operations.ts";
import { parseS3Target } from "./s3-target.ts";
import type { S3Target } from "./s3-target.ts";
import { verifyRequest } from "./s3-verify.ts";

export interface S3Arrival {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly state: S3State;
  /** Base names of virtual hosts. */
  readonly hosts: readonly string[];
  readonly intercept: Intercept | undefined;
  /** What each decision about a permission takes. */
  readonly pause: () => Promise<void>;
}

const COUNTS_PATH = "/-/demo/counts";
const HOST_ID_BYTES = 48;

/** Answers one request, and counts it. */
export async function serveS3(arrival: S3Arrival): Promise<void> {
  const { request, response, state } = arrival;
  if (request.url === COUNTS_PATH) {
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(state.counter.read()));
    return;
  }
  state.counter.add("total");
  response.setHeader("x-amz-request-id", state.newId().slice(0, 16));
  response.setHeader("x-amz-id-2", randomBytes(HOST_ID_BYTES).toString("base64"));
  response.setHeader("Server", "forgefront-demo-s3");
  try {
    await answer(arrival);
  } catch (error) {
    // A client that goes away breaks the streams of its answer; that is no fault of the store.
    if (response.headersSent || response.destroyed) response.destroy();
    else refuse(arrival, error);
  }
}

async function answer(arrival: S3Arrival): Promise<void> {
  const { request, response, state, intercept, pause } = arrival;
  const asked = readRequest(arrival);
  state.counter.add(asked.kind === "fault" ? "other" : asked.operation.kind);
  if (intercept?.(request, response) === true) return;
  await pause();
  if (asked.kind === "fault") throw asked.failure;
  const { target, operation } = asked;
  const { access, region } = state;
  const requester = verifyRequest({ request, target, access, region, now: state.now() });
  await operation.run({ request, response, target, requester, state });
}

type Asked =
  | { readonly kind: "operation"; readonly target: S3Target; readonly operation: S3Operation }
  | { readonly kind: "fault"; readonly failure: S3Failure };

function readRequest({ request, state, hosts }: S3Arrival): Asked {
  try {
    const target = parseS3Target(request.url ?? "", request.headers.host ?? "", hosts);
    return { kind: "operation", target, operation: findOperation(request, target, state.rgw) };
  } catch (error) {
    if (error instanceof S3Failure) return { kind: "fault", failure: error };
    throw error;
  }
}

function refuse({ request, response, state }: S3Arrival, error: unknown): void {
  if (error instanceof S3Failure && error.status === 403) state.counter.add("denied");
  sendFailure(request, response, error);
}
