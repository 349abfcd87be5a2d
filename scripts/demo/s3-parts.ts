import { checksumAlgorithm, CHECKSUM_PREFIX, checksumOf } from "./s3-checksums.ts";
import { allBytes, joinedContent } from "./s3-content.ts";
import type { S3Content } from "./s3-content.ts";
import { S3Failure } from "./s3-failure.ts";
import { xmlElements, xmlText } from "./s3-xml.ts";

/** A part as it was uploaded. */
export interface UploadedPart {
  readonly content: S3Content;
  /** Quoted. */
  readonly etag: string;
  readonly checksums: Readonly<Record<string, string>>;
  readonly lastModified: number;
}

/** The parts that the closing document lists, in its order, which must be theirs. */
export function listedParts(
  parts: ReadonlyMap<number, UploadedPart>,
  document: string,
  minBytes: number,
): UploadedPart[] {
  const listed = xmlElements(document, "Part").map((part) => ({
    number: Number(xmlText(part, "PartNumber")),
    etag: `"${(xmlText(part, "ETag") ?? "").replaceAll('"', "")}"`,
  }));
  if (listed.length === 0) throw new S3Failure("MalformedXML");
  if (listed.some(({ number }, index) => number <= (listed[index - 1]?.number ?? 0)))
    throw new S3Failure("InvalidPartOrder");
  return listed.map(({ number, etag }, index) => {
    const part = parts.get(number);
    if (part?.etag !== etag)
      throw new S3Failure("InvalidPart", { elements: { PartNumber: number, ETag: etag } });
    if (part.content.size < minBytes && index < listed.length - 1)
      throw new S3Failure("EntityTooSmall", {
        elements: { ProposedSize: part.content.size, MinSizeAllowed: minBytes, PartNumber: number },
      });
    return part;
  });
}

/** The checksum of the parts' checksums and how many they are, where all parts came with the same kind; of the bytes for CRC64NVME. */
export function compositeChecksums(parts: readonly UploadedPart[]): Record<string, string> {
  const name = Object.keys(parts[0]?.checksums ?? {})[0] ?? "";
  const algorithm = checksumAlgorithm(name);
  const values = parts.flatMap(({ checksums }) => checksums[name] ?? []);
  if (algorithm === undefined || values.length < parts.length) return {};
  if (algorithm === "crc64nvme") {
    const bytes = allBytes(joinedContent(parts.map(({ content }) => content)));
    return { [name]: checksumOf(algorithm, bytes), [`${CHECKSUM_PREFIX}type`]: "FULL_OBJECT" };
  }
  const joined = Buffer.concat(values.map((value) => Buffer.from(value, "base64")));
  return {
    [name]: `${checksumOf(algorithm, joined)}-${parts.length}`,
    [`${CHECKSUM_PREFIX}type`]: "COMPOSITE",
  };
}
