/** Reads the names of features and cells into memory, and finds the positions of names among other names. */

import { textColumn, textValues } from "../../arrow/text.js";
import type { StoredArray } from "../../containers/tree/container.js";
import { InvalidDataError, located, UnsupportedError } from "../../model/errors.js";
import type { ReaderContext } from "../reader.js";

/** Maximum number of names in memory. A genome has fewer features. */
const MOST_NAMES = 5_000_000;

/** Reads the names in a dataset. @throws {InvalidDataError} if it does not contain text. */
export async function readNames(array: StoredArray, { text, options }: ReaderContext): Promise<readonly string[]> {
  return located({ element: array.path }, async () => {
    const [count] = array.shape ?? [];
    if (array.type.kind !== "text" || array.shape?.length !== 1) throw new InvalidDataError("no names");
    if (count > MOST_NAMES) throw new UnsupportedError(`${count} names, more than ${MOST_NAMES}`);
    const read = await array.read(0, count, options);
    if (read.kind !== "variable") throw new InvalidDataError("no names");
    return textValues(textColumn(read, text)).map((name) => name ?? "");
  });
}
