import { printable } from "./printable.js";

/** `text` without control characters, of at most so many characters. */
export function shortened(text: string, most = 80): string {
  const shown = printable(text.slice(0, most + 1));
  if (shown.length <= most && text.length <= most) return shown;
  // No half of a surrogate pair at the end.
  return `${shown.slice(0, most - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
