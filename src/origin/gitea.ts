import { isObjectId } from "../core/object-id.ts";
import { encodePath } from "../core/request-path.ts";
import { strongEtag } from "../core/entry.ts";
import type { Pin } from "../core/pin.ts";
import { signInPath } from "../core/sign-in.ts";
import type { RawTarget } from "../core/target.ts";
import { wholeNumber } from "../core/whole-number.ts";
import { asPrincipal, type Forge } from "./forge.ts";
import type { AskOrigin } from "./http.ts";

/** Gitea and Forgejo: their entity tag of a raw file is the blob's id, and they serve single ranges. */
export function giteaForge(origin: string, ask: AskOrigin): Forge {
  return {
    gitUrl: ({ project }) => `${origin}/${encodePath(project)}.git`,
    rawUrl: (target, pin) => rawUrl(origin, target, pin),
    refusalUrl: ({ channel, project }) =>
      channel === "api" ? `${origin}/api/v1/repos/${encodePath(project)}` : undefined,
    signInPath: signInPath("gitea"),
    replay: "HEAD",
    ranges: true,
    async askFile(target, pin, principal) {
      const url = rawUrl(origin, target, pin.kind === "commit" || pin.kind === "blob" ? pin : undefined);
      const response = await ask(asPrincipal(principal, url, { method: "HEAD", deadline: "whole" }));
      return response.status === 200 ? response.headers : undefined;
    },
    told(header) {
      const tag = strongEtag(header("etag"))?.slice(1, -1) ?? "";
      return { blob: isObjectId(tag) ? tag : undefined, size: wholeNumber(header("content-length")) };
    },
  };
}

function rawUrl(
  origin: string,
  { channel, project, name, variant }: RawTarget,
  pin: Pin | undefined,
): string {
  const form = variant === "media" ? "media" : "raw";
  if (channel === "web") return `${origin}/${encodePath(project)}/${form}/${encodePath(webName(name, pin))}`;
  const api = `${origin}/api/v1/repos/${encodePath(project)}/${form}`;
  if (pin?.kind === "commit") return `${api}/${encodePath(pin.path)}?ref=${pin.oid}`;
  if (name.kind === "commit") return `${api}/${encodePath(name.path)}?ref=${name.oid}`;
  if (name.kind === "ref") return `${api}/${encodePath(name.path)}?ref=${encodeURIComponent(name.ref)}`;
  if (name.kind === "joined") return `${api}/${encodePath(name.text)}`;
  throw new TypeError("The API has no form for a blob");
}

function webName(name: RawTarget["name"], pin: Pin | undefined): string {
  if (pin?.kind === "commit") return `commit/${pin.oid}/${pin.path}`;
  if (name.kind === "commit") return `commit/${name.oid}/${name.path}`;
  if (name.kind === "blob") return `blob/${name.oid}`;
  if (name.kind !== "joined") throw new TypeError("The web joins ref and path");
  if (name.refs === "heads") return `branch/${name.text}`;
  return name.refs === "tags" ? `tag/${name.text}` : name.text;
}
