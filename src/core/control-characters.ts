/** A control character of ASCII: no name needs one, and readers drop, cut or show them in ways of their own. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
export const CONTROL_CHARACTER = /[\u0000-\u001f\u007f]/;
