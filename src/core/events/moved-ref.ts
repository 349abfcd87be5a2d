import { isObjectId } from "../object-id.ts";

/** An object id as hooks write it: `undefined` stands for all zeros, which say that there is no object. */
export type HookOid = { readonly oid: string | undefined };

/** Reads an object id of a hook; `undefined` where it is none (githooks(5), "pre-receive": the zero object name). */
export function hookOid(value: unknown): HookOid | undefined {
  if (typeof value !== "string" || !isObjectId(value)) return undefined;
  return { oid: /^0+$/.test(value) ? undefined : value };
}

/** Whether a text is the full name of a branch or tag. */
export function isHeadOrTag(ref: string): boolean {
  return /^refs\/(?:heads|tags)\/./.test(ref);
}

export function isTag(ref: string): boolean {
  return ref.startsWith("refs/tags/");
}
