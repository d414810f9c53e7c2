/** Categories must be distinct: Arrow's dictionaries and pandas both take them as names. */

import { InvalidDataError } from "../model/errors.js";
import type { Column } from "./column.js";
import { jsonOf } from "./json.js";

/** @throws {InvalidDataError} naming the first value that stands twice. */
export function checkDistinct(dictionary: Column): void {
  const seen = new Map<string, number>();
  for (let i = 0; i < dictionary.length; i++) {
    const value = jsonOf(dictionary, i);
    const before = seen.get(value);
    if (before !== undefined) {
      throw new InvalidDataError(`category ${value} stands twice, at ${before} and ${i}`);
    }
    seen.set(value, i);
  }
}
