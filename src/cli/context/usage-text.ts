/** What the command says of wrong use, from the words of the library that parses the command line. */

import { existsSync } from "node:fs";
import { hasScheme } from "../../model/input-name.js";

/**
 * The line for an error of the parser. A file in the place of a command is most likely to be looked at.
 * @example
 * ```ts
 * usageText("error: unknown command 'pbmc.h5ad'"); // annarrow: pbmc.h5ad is no command; annarrow inspect pbmc.h5ad …
 * ```
 */
export function usageText(text: string): string {
  const name = /^error: unknown command '([^\n]*)'/.exec(text)?.[1];
  if (name === undefined || !isFile(name)) return text.replace(/^error: /, "annarrow: ");
  return `annarrow: ${name} is no command; to see what is in it: annarrow inspect ${shellWord(name)}\n`;
}

/** Whether a word is the name of a file or folder, be it there or not. */
function isFile(word: string): boolean {
  return /[./\\]/.test(word) || hasScheme(word) || existsSync(word);
}

/** The word as a shell reads it. */
function shellWord(word: string): string {
  return /^[\w./:@%+=,~\\-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
