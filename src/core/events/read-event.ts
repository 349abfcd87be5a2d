import type { ReadHeader } from "../header-fields.ts";
import { parseJson } from "../parse-json.ts";
import type { SiteKind } from "../site.ts";
import type { EventAnswer } from "./event.ts";
import { readGiteaEvent } from "./gitea-event.ts";
import { readGitlabEvent } from "./gitlab-event.ts";
import { isMembers } from "./payload.ts";
import { readStoreEvent } from "./store-event.ts";

/** What a delivery to a site of this kind says has changed; `text` is its body. */
export function readEvent(kind: SiteKind, header: ReadHeader, text: string): EventAnswer {
  const payload = parseJson(text);
  if (!isMembers(payload)) return { kind: "malformed", detail: "The body must be a JSON object" };
  if (kind === "s3") return readStoreEvent(payload);
  return kind === "gitlab" ? readGitlabEvent(header, payload) : readGiteaEvent(header, payload);
}
