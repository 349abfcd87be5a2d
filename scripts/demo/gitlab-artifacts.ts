import { signedUrl } from "./artifact-storage.ts";
import type { ArtifactStorage } from "./artifact-storage.ts";
import { contentDisposition } from "./content-disposition.ts";
import { sendText } from "./exchange.ts";
import type { Exchange } from "./exchange.ts";
import type { Admitted } from "./gate.ts";
import type { Artifact, ArtifactAccess, Jobs } from "./jobs.ts";
import { sendParts, serveContent } from "./serve-content.ts";

/** Where a forge finds artifacts. */
export interface ArtifactSite {
  readonly jobs: Jobs;
  readonly storage: ArtifactStorage;
  /** How long a URL of the storage is good for, in seconds. */
  expiresS(): number;
}

/** Rails' tag for an empty body, since it is Workhorse that fills it in: the same for every artifact there is. */
export const EMPTY_BODY_TAG = 'W/"e3b0c44298fc1c149afbf4c8996fb924"';

export const REVALIDATED = { "Cache-Control": "max-age=0, private, must-revalidate" };

/** Whether `artifacts:access` of a job lets somebody in whom the project does. */
export function mayReadArtifacts(access: ArtifactAccess, admission: Admitted): boolean {
  return access === "all" || (access === "developer" && admission.isDeveloper);
}

/** Sends an archive or a report as a whole, the way its job delivers; the API and the web differ in small things. */
export async function serveArtifact(
  exchange: Exchange,
  site: ArtifactSite,
  artifact: Artifact,
  door: "api" | "web",
): Promise<void> {
  const { bytes, delivery } = artifact;
  if (delivery === "object") return redirect(exchange, site, artifact, door);
  const headers = {
    ...REVALIDATED,
    ETag: EMPTY_BODY_TAG,
    // The API knows no type but this one.
    "Content-Type": door === "api" ? "application/octet-stream" : artifact.contentType,
    "Content-Disposition": contentDisposition("attachment", artifact.fileName),
    "Content-Transfer-Encoding": "binary",
    "X-Content-Type-Options": "nosniff",
  };
  if (delivery === "local") return serveContent(exchange, bytes, headers);
  const length = delivery === "rangeless" ? { "Content-Length": bytes.size } : {};
  exchange.head(200, { ...headers, ...length });
  await sendParts(exchange, bytes, [{ start: 0, end: bytes.size }]);
}

/** The URL is signed for GET, whatever the method was: who follows a HEAD is refused by the storage. */
function redirect(exchange: Exchange, site: ArtifactSite, artifact: Artifact, door: "api" | "web"): void {
  const overrides = {
    "response-content-disposition": contentDisposition("attachment", artifact.fileName),
    "response-content-type": artifact.contentType,
  };
  const Location = signedUrl(site.storage, {
    key: artifact.key,
    expiresS: site.expiresS(),
    parameters: door === "web" ? overrides : {},
  });
  const headers = { Location, "Cache-Control": "no-cache" };
  sendText(exchange, 302, `This resource has been moved temporarily to ${Location}.`, headers);
}
