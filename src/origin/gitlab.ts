import type { Answer } from "../core/dialect.ts";
import type { ReadHeader } from "../core/header-fields.ts";
import { isObjectId } from "../core/object-id.ts";
import type { Principal } from "../core/principal.ts";
import { encodePath } from "../core/request-path.ts";
import type { Pin } from "../core/pin.ts";
import { signInPath } from "../core/sign-in.ts";
import type { RawTarget } from "../core/target.ts";
import { wholeNumber } from "../core/whole-number.ts";
import { asPrincipal, type Forge, type ForgeAsking, type Told } from "./forge.ts";
import { discard, type AskOrigin } from "./http.ts";
import { readVerdict } from "./verdict.ts";

const SIGN_IN = signInPath("gitlab");

/** GitLab: web and API raw files, smart HTTP, and `HEAD files/:path` for who and which together. */
export function gitlabForge(origin: string, ask: AskOrigin, now: () => number): Forge {
  return {
    gitUrl: ({ project }) => `${origin}/${encodePath(project)}.git`,
    rawUrl: (target, pin) =>
      target.channel === "api" ? apiRawUrl(origin, target, pin) : webRawUrl(origin, target, pin),
    signInPath: SIGN_IN,
    replay: "conditional GET",
    ranges: false,
    told: readTold,
    askFile: (target, pin, principal) => askFile(ask, origin, { target, pin, principal }),
    codeUrl: (target) => codeUrl(origin, target),
    askApi: (asking) => askApi(ask, now, origin, asking),
  };
}

function webRawUrl(origin: string, { project, name, variant }: RawTarget, pin: Pin | undefined): string {
  const parameters: string[] = variant === "attachment" ? ["inline=false"] : [];
  let refPath: string;
  if (pin?.kind === "commit") refPath = `${pin.oid}/${pin.path}`;
  else if (name.kind === "joined") refPath = name.text;
  else if (name.kind === "ref") refPath = `${name.ref}/${name.path}`;
  else if (name.kind === "commit") refPath = `${name.oid}/${name.path}`;
  else throw new TypeError("The web has no form for a blob");
  if (pin === undefined && name.kind === "joined" && name.refs !== "any")
    parameters.push(`ref_type=${name.refs}`);
  const query = parameters.length === 0 ? "" : `?${parameters.join("&")}`;
  return `${origin}/${encodePath(project)}/-/raw/${encodePath(refPath)}${query}`;
}

function apiRawUrl(origin: string, { project, name, variant }: RawTarget, pin: Pin | undefined): string {
  const repository = `${origin}/api/v4/projects/${encodeURIComponent(project)}/repository`;
  if (name.kind === "blob") return `${repository}/blobs/${name.oid}/raw`;
  const { ref, path } = refAndPath(name, pin);
  const lfs = variant === "media" ? "&lfs=true" : "";
  return `${repository}/files/${encodeURIComponent(path)}/raw?ref=${encodeURIComponent(ref)}${lfs}`;
}

function refAndPath(name: RawTarget["name"], pin: Pin | undefined): { ref: string; path: string } {
  if (pin?.kind === "commit") return { ref: pin.oid, path: pin.path };
  if (name.kind === "commit") return { ref: name.oid, path: name.path };
  if (name.kind === "ref") return { ref: name.ref, path: name.path };
  throw new TypeError("The API names ref and path apart");
}

function fileUrl(origin: string, project: string, path: string, ref: string): string {
  const file = `${origin}/api/v4/projects/${encodeURIComponent(project)}/repository/files/${encodeURIComponent(path)}`;
  return `${file}?ref=${encodeURIComponent(ref)}`;
}

function readTold(header: ReadHeader): Told {
  const blob = header("x-gitlab-blob-id") ?? "";
  return { blob: isObjectId(blob) ? blob : undefined, size: wholeNumber(header("x-gitlab-size")) };
}

/** The API takes neither Basic nor static object tokens. */
const NOT_FOR_API: ReadonlySet<Principal["kind"]> = new Set(["basic", "static", "several", "other"]);

async function askFile(
  ask: AskOrigin,
  origin: string,
  { target, pin, principal }: { target: RawTarget; pin: Pin; principal: Principal },
): Promise<Headers | undefined> {
  if (pin.kind !== "commit" || target.variant === "media" || NOT_FOR_API.has(principal.kind))
    return undefined;
  const url = fileUrl(origin, target.project, pin.path, pin.oid);
  const response = await ask(asPrincipal(principal, url, { method: "HEAD", deadline: "whole" }));
  return response.status === 200 ? response.headers : undefined;
}

function codeUrl(origin: string, { project }: RawTarget): string {
  return `${origin}/api/v4/projects/${encodeURIComponent(project)}/repository/branches?per_page=1`;
}

/**
 * `HEAD files/:path?ref=` answers who and which at once. Its 404 does not say what is missing, and a HEAD has no body,
 * so a "no" is followed up by a question about the code as a whole, whose answer can be told to the asker.
 */
async function askApi(
  ask: AskOrigin,
  now: () => number,
  origin: string,
  asking: ForgeAsking,
): Promise<Answer> {
  const { question, target, principal } = asking;
  const file = question.via === "api" ? question.file : undefined;
  const at = now();
  if (file !== undefined) {
    const url = fileUrl(origin, target.project, file.path, file.ref);
    const head = await ask(asPrincipal(principal, url, { method: "HEAD", deadline: "whole" }));
    const commit = head.headers.get("x-gitlab-commit-id") ?? "";
    if (head.status === 200 && isObjectId(commit)) {
      return { kind: "admitted", revision: { at, kind: "commit", oid: commit } };
    }
    if (head.status !== 404) {
      const verdict = await readVerdict(head, SIGN_IN, now(), "scope");
      if (verdict?.kind !== "refused") return verdict ?? { kind: "unclear" };
    }
  }
  const response = await ask(asPrincipal(principal, codeUrl(origin, target), { deadline: "whole" }));
  const verdict = await readVerdict(response, SIGN_IN, now(), "scope");
  if (verdict !== undefined) return verdict;
  await discard(response);
  if (!isJson(response)) return { kind: "unclear" }; // a page that says 200 is no "yes"
  return { kind: "admitted", revision: undefined };
}

function isJson({ headers }: Response): boolean {
  return (headers.get("content-type") ?? "").startsWith("application/json");
}
