import type { ObjectPin } from "../core/pin.ts";
import type { Member } from "../core/zip/member.ts";
import { archiveBytes } from "./archive-bytes.ts";
import type { Source } from "./begin-fill.ts";
import { contentReader } from "./content-reader.ts";
import type { Visit } from "./visit.ts";

/** A member's content as the source of a body of its own, to be stored in blocks. */
export async function unpackedSource(visit: Visit, pin: ObjectPin, member: Member): Promise<Source> {
  const archive = archiveBytes({ visit, pin, entry: pin.entry });
  try {
    const reader = await contentReader(visit.isolate.ports.codec, archive, member);
    const close = async (): Promise<void> => {
      await reader.close();
      archive.close();
    };
    return { body: { ...reader, close }, offset: 0, until: member.size };
  } catch (error) {
    archive.close();
    throw error;
  }
}
