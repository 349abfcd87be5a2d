import type { FuzzTarget } from "../../scripts/fuzz/target.ts";
import { awsChunkedReader } from "../../src/core/aws-chunked.ts";
import { evaluatePreconditions, rangeApplies } from "../../src/core/conditional.ts";
import type { ChangeEvent } from "../../src/core/events/event.ts";
import { readEvent } from "../../src/core/events/read-event.ts";
import { parseHttpDate } from "../../src/core/http-date.ts";
import { canonicalPath } from "../../src/core/object-path.ts";
import { readPurge } from "../../src/core/purge.ts";
import { selectRanges } from "../../src/core/range.ts";
import { splitRefPath } from "../../src/core/ref-path.ts";
import { route } from "../../src/core/route.ts";
import { wantedOf } from "../../src/core/wanted.ts";
import { compactDirectory } from "../../src/core/zip/compact-directory.ts";
import { readLocalHeader } from "../../src/core/zip/local-header.ts";
import type { ZipProblem } from "../../src/core/zip/problems.ts";
import { resignChunks } from "../../src/origin/chunk-signatures.ts";
import { sigv4 } from "../../src/origin/sigv4.ts";
import { storeUrl } from "../../src/origin/store-request.ts";
import { readZip } from "../zip/read-zip.ts";
import { chunksTarget } from "./targets/chunks.ts";
import { conditionalTarget } from "./targets/conditional.ts";
import { eventsTarget } from "./targets/events.ts";
import { forgeUrlTarget } from "./targets/forge-url.ts";
import { rangeTarget } from "./targets/range.ts";
import { refPathTarget } from "./targets/ref-path.ts";
import { s3UrlTarget } from "./targets/s3-url.ts";
import { signatureTarget } from "./targets/signature.ts";
import { zipTarget } from "./targets/zip.ts";

/** A target whose product was broken in one place, and the rules that must tell. */
export type Planted = {
  readonly bug: string;
  readonly target: FuzzTarget;
  readonly rules: readonly string[];
};

const conditions = { evaluatePreconditions, rangeApplies, parseHttpDate };
const ranges = { selectRanges, wantedOf };
const signer = sigv4();

/** Each target, with bugs of the kind it is there for. */
export const PLANTED: readonly Planted[] = [
  {
    bug: "a path is decoded twice",
    target: forgeUrlTarget("gitlab", {
      route: (kind, asked, most) => route(kind, { ...asked, path: asked.path.replaceAll("%25", "%") }, most),
    }),
    rules: [
      "reads what the URL says",
      "claims no URL with bytes in its path that are no UTF-8, or a stray percent sign",
    ],
  },
  {
    bug: "names are taken for one in either case",
    target: forgeUrlTarget("gitea", {
      route: (kind, asked, most) => route(kind, { ...asked, path: asked.path.toLowerCase() }, most),
    }),
    rules: ["reads what the URL says", "gives one key to one thing", "has one normal form for one thing"],
  },
  {
    bug: "backslashes are taken for slashes",
    target: forgeUrlTarget("gitea", {
      route: (kind, asked, most) => route(kind, { ...asked, path: asked.path.replaceAll("\\", "/") }, most),
    }),
    rules: ["claims no URL with segments that a URL parser takes away or makes"],
  },
  {
    bug: "slashes in a row are taken for one",
    target: s3UrlTarget({
      route: (kind, asked, most) => route(kind, { ...asked, path: asked.path.replaceAll(/\/+/g, "/") }, most),
      storeUrl,
    }),
    rules: [
      "reads the object that the URL names",
      "gives one key to one thing",
      "links to what is in the archive",
    ],
  },
  {
    bug: "dot segments are sent as they are",
    target: s3UrlTarget({ route, storeUrl: (base, path, search) => base + canonicalPath(path) + search }),
    rules: ["sends what no URL parser changes", "sends the path that was asked for"],
  },
  {
    bug: "Gitea's longest branch wins",
    target: refPathTarget((kind, text, refs, known) =>
      splitRefPath(kind, text, refs, kind === "gitea" && refs === "heads" ? longest(text, known) : known),
    ),
    rules: ["splits as the forge does"],
  },
  {
    bug: "ranges that touch stay apart",
    target: rangeTarget({
      ...ranges,
      selectRanges: (header, size, most) => {
        const answer = selectRanges(header, size, most);
        return answer.kind === "parts" && answer.ranges.length === 1 && header?.includes(",") === true
          ? {
              ...answer,
              ranges: answer.ranges.flatMap(({ start, end }) =>
                end - start > 1
                  ? [
                      { start, end: start + 1 },
                      { start: start + 1, end },
                    ]
                  : [{ start, end }],
              ),
            }
          : answer;
      },
    }),
    rules: ["reads as RFC 9110 does"],
  },
  {
    bug: "more is wanted than there may be",
    target: rangeTarget({
      ...ranges,
      wantedOf: (range, sizes) => wantedOf(range, { ...sizes, mostBlocks: 4 }),
    }),
    rules: ["wants few blocks"],
  },
  {
    bug: "If-None-Match compares strongly",
    target: conditionalTarget({
      ...conditions,
      evaluatePreconditions: (given, current) =>
        evaluatePreconditions(
          given,
          given.ifNoneMatch !== null && current.etag?.startsWith("W/") === true
            ? { ...current, etag: undefined }
            : current,
        ),
    }),
    rules: ["weighs conditions in the order of RFC 9110"],
  },
  {
    bug: "a leap second is no date",
    target: conditionalTarget({
      ...conditions,
      parseHttpDate: (text) => (text.includes(":60") ? undefined : parseHttpDate(text)),
    }),
    rules: ["reads dates as RFC 9110 does"],
  },
  {
    bug: "a signature of GET is good for HEAD",
    target: signatureTarget({
      ...signer,
      verify: (signable, signature, secret) =>
        signer.verify(signable, signature, secret) ||
        signer.verify({ ...signable, method: "GET" }, signature, secret),
    }),
    rules: ["accepts no other method"],
  },
  {
    bug: "a parameter is not signed",
    target: signatureTarget({
      ...signer,
      verify: (signable, signature, secret) =>
        signer.verify(signable, signature, secret) ||
        signer.verify({ ...signable, query: withoutParameter(signable.query, "a") }, signature, secret),
    }),
    rules: ["accepts no other parameters"],
  },
  {
    bug: "a body that is cut off is whole",
    target: chunksTarget({
      resignChunks,
      awsChunkedReader: (hasTrailer) => {
        const reader = awsChunkedReader(hasTrailer);
        const end = () => (reader.end() === "truncated" ? undefined : reader.end());
        return { push: (piece) => reader.push(piece), end };
      },
    }),
    rules: ["takes what is well framed, and nothing else", "says when a chunk is whole"],
  },
  {
    bug: "chunks are passed on unverified",
    target: chunksTarget({ awsChunkedReader, resignChunks: () => new TransformStream() }),
    rules: ["refuses changed bytes", "signs anew"],
  },
  {
    bug: "names of devices are served",
    target: zipTarget({
      readLocalHeader,
      read: (bytes, limits) => without("name_device", readZip(bytes, limits)),
    }),
    rules: ["serves no unsafe name", "serves nothing below a file or link"],
  },
  {
    bug: "names that come twice are served",
    target: zipTarget({
      readLocalHeader,
      read: (bytes, limits) => without("entry_duplicate", readZip(bytes, limits)),
    }),
    rules: ["serves no name twice"],
  },
  {
    bug: "data may reach into the next entry",
    target: zipTarget({
      read: readZip,
      readLocalHeader: (bytes, member) =>
        readLocalHeader(bytes, { ...member, limit: Number.MAX_SAFE_INTEGER }),
    }),
    rules: ["finds data in its own place"],
  },
  {
    bug: "a refusal shows what was sent",
    target: eventsTarget({
      readPurge,
      readEvent: (kind, header, text) => {
        const answer = readEvent(kind, header, text);
        return answer.kind === "malformed"
          ? { ...answer, detail: `${answer.detail}, not ${text.slice(0, 60)}` }
          : answer;
      },
    }),
    rules: ["shows nothing of a payload"],
  },
  {
    bug: "a ref that was deleted has an id of zeros",
    target: eventsTarget({
      readPurge,
      readEvent: (kind, header, text) => {
        const answer = readEvent(kind, header, text);
        const zeros = (event: ChangeEvent) =>
          event.kind === "push" && event.after === undefined ? { ...event, after: "0".repeat(40) } : event;
        return answer.kind === "events" ? { ...answer, events: answer.events.map(zeros) } : answer;
      },
    }),
    rules: ["tells commits by their ids"],
  },
];

/** The refs, without those that are the beginning of a longer one that fits. */
function longest<T extends { readonly name: string }>(text: string, known: readonly T[]): readonly T[] {
  const short = ({ name }: T) => name.replace("refs/heads/", "");
  const fits = known.filter((each) => text.startsWith(`${short(each)}/`));
  return known.filter((each) => !fits.some((other) => short(other).startsWith(`${short(each)}/`)));
}

function withoutParameter<T>(query: Readonly<Record<string, T>>, name: string): Record<string, T> {
  return Object.fromEntries(Object.entries(query).filter(([each]) => each !== name));
}

type Answer = ReturnType<typeof readZip>;

/** What the reader says, but for one problem, which it does not see. */
function without(problem: ZipProblem, answer: Answer): Answer {
  if (answer.kind === "problem") return answer;
  const members = Array.from({ length: answer.directory.count }, (_, position) =>
    answer.directory.at(position),
  );
  const blind = members.map((member) =>
    member.problem === problem ? Object.assign(member, { problem: undefined }) : member,
  );
  return { ...answer, directory: compactDirectory(blind) };
}
