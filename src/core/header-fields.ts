/** Reads a header field by its name, in whatever case that is; `null` where there is none. */
export type ReadHeader = (name: string) => string | null;

/** Header fields in their order; a name may stand more than once. */
export type HeaderFields = readonly (readonly [name: string, value: string])[];
