/** Reads feature and cell names into memory, and finds the positions of names in other lists of names. */

import { InvalidDataError, UnsupportedError } from "annarrow";
import { decodeTextValues, toTextColumn } from "annarrow/core/arrow";
import { runWithLocation } from "annarrow/core/model";
import type { ReaderContext, StoredArray } from "annarrow/format";

/** Maximum number of names in memory. A genome has fewer features. */
const MAX_NAMES = 5_000_000;

/** Reads the names in a dataset. @throws {InvalidDataError} if it does not contain text. */
export async function readNames(array: StoredArray, { text, options }: ReaderContext): Promise<readonly string[]> {
  return runWithLocation({ element: array.path }, async () => {
    const [count] = array.shape ?? [];
    if (array.type.kind !== "text" || array.shape?.length !== 1) throw new InvalidDataError("no names");
    if (count > MAX_NAMES) throw new UnsupportedError(`${count} names, more than ${MAX_NAMES}`);
    const read = await array.read(0, count, options);
    if (read.kind !== "variable") throw new InvalidDataError("no names");
    return decodeTextValues(toTextColumn(read, text)).map((name) => name ?? "");
  });
}
