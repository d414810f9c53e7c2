/** Reads the names of features and cells into memory, and finds the positions of names among other names. */

import { decodeTextValues, toTextColumn } from "../../arrow/text.js";
import type { StoredArray } from "../../containers/tree/container.js";
import { InvalidDataError, runWithLocation, UnsupportedError } from "../../model/errors.js";
import type { ReaderContext } from "../reader.js";

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
