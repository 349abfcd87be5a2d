/** Whether a client said that it takes gzip (RFC 9110 §12.5.3); one that says nothing is sent what everyone can read. */
export function acceptsGzip(acceptEncoding: string | null): boolean {
  if (acceptEncoding === null) return false;
  let other = false;
  for (const member of acceptEncoding.toLowerCase().split(",")) {
    const [coding = "", ...parameters] = member.split(";").map((part) => part.trim());
    const isTaken = !parameters.some((parameter) => /^q=0(?:\.0{0,3})?$/.test(parameter));
    if (coding === "gzip" || coding === "x-gzip") return isTaken;
    if (coding === "*") other = isTaken;
  }
  return other;
}
