/** Reads files that contain one name or path per line. */

import { readFile } from "node:fs/promises";
import { InvalidInputError } from "annarrow";
import { findSystemReason } from "annarrow/node/model";

/** @throws {InvalidInputError} for a file that cannot be read. */
export async function readTextFile(file: string): Promise<string> {
  return readFile(file, "utf8").catch((cause: unknown) => {
    throw new InvalidInputError(`cannot be read: ${findSystemReason(cause) ?? cause}`, { source: file, cause });
  });
}

/** Reads the lines of a file, without an empty line at the end. */
export async function readTextLines(file: string): Promise<readonly string[]> {
  const lines = (await readTextFile(file)).split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
