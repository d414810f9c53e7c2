/** Messages about incorrect usage, derived from the messages of the library that parses the command line. */

import { existsSync } from "node:fs";
import { hasScheme } from "annarrow/core/model";

/**
 * Returns the line for an error of the argument parser. For a file in place of a command, it suggests `inspect`.
 * @example
 * ```ts
 * usageText("error: unknown command 'pbmc.h5ad'"); // annarrow: pbmc.h5ad is no command; annarrow inspect pbmc.h5ad …
 * ```
 */
export function formatUsageError(text: string): string {
  const name = /^error: unknown command '([^\n]*)'/.exec(text)?.[1];
  if (name === undefined || !isFile(name)) return text.replace(/^error: /, "annarrow: ");
  return `annarrow: ${name} is no command; to see what is in it: annarrow inspect ${shellWord(name)}\n`;
}

/** True if a word looks like the name of a file or folder, whether or not it exists. */
function isFile(word: string): boolean {
  return /[./\\]/.test(word) || hasScheme(word) || existsSync(word);
}

/** Quotes the word for a shell. */
function shellWord(word: string): string {
  return /^[\w./:@%+=,~\\-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
