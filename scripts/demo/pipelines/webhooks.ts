/** One request that a forge makes of somebody who wants to be told. */
export interface Delivery {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Who is told, and the secret that proves who tells. */
export interface Hook {
  readonly url: string;
  readonly secret?: string;
}

/** A project as deliveries speak of it. */
export interface HookProject {
  readonly id: number;
  readonly path: string;
  readonly isPublic: boolean;
  readonly defaultBranch: string;
}

/** What a forge says of itself in a delivery, and to whom. */
export interface HookSender {
  /** What the forge takes for its own URL; no slash at the end. */
  readonly externalUrl: string;
  readonly secret?: string | undefined;
}

/** A branch or tag, in full, before and after it was pushed; forty zeros where it is not there. */
export interface PushedRef {
  readonly ref: string;
  readonly before: string;
  readonly after: string;
}

export const NO_OBJECT = "0".repeat(40);
const TIMEOUT_MS = 10_000;

/** Posts a delivery and gives the status of the answer, whose body no forge cares for. */
export async function deliver(url: string, { headers, body }: Delivery): Promise<number> {
  const response = await fetch(url, {
    method: "POST",
    headers,
    body,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  await response.body?.cancel();
  return response.status;
}
