/** Escapes control characters, which a terminal would obey. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, (character) => {
    if (character === "\n") return "\\n";
    if (character === "\t") return "\\t";
    if (character === "\r") return "\\r";
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** Escapes control characters in `text` and cuts it to `most` characters. */
export function shortened(text: string, most = 80): string {
  const shown = printable(text.slice(0, most + 1));
  if (shown.length <= most && text.length <= most) return shown;
  // No half of a surrogate pair at the end.
  return `${shown.slice(0, most - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
