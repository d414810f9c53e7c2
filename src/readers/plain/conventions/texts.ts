/** Reads texts of a dataset: the names of columns. */

import { textColumn, textValues } from "../../../arrow/text.js";
import type { StoredArray } from "../../../containers/tree/container.js";
import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import type { PlainContext } from "../arrays/context.js";

/** Most names of columns. */
const MOST_NAMES = 1_000_000;

/** @throws {InvalidDataError} for values that are neither text nor integers. */
export async function readTexts(array: StoredArray, { text, options }: PlainContext): Promise<readonly string[]> {
  const [count] = array.shape ?? [];
  if (array.shape?.length !== 1) throw new InvalidDataError("no list of names", { element: array.path });
  if (count > MOST_NAMES) throw new UnsupportedError(`${count} columns, more than ${MOST_NAMES}`);
  const read = await array.read(0, count, options);
  if (read.kind === "variable") return textValues(textColumn(read, text)).map((name) => name ?? "");
  if (read.kind === "fixed" && array.type.kind === "int") return Array.from(read.values, String);
  throw new InvalidDataError("names that are no text", { element: array.path });
}
