/** An array whose numbers are computed from another array. */

import type { ReadOptions } from "../../io/sources/source.js";
import { InvalidDataError } from "../../model/errors.js";
import type { NumberArray, StoredType, StoredValues } from "../../model/stored.js";
import type { StoredArray } from "../tree/container.js";

/**
 * Creates an array of the same shape. Its rows are read in the thread that uses the values, because workers cannot open
 * this array.
 * @param map computes an equal number of values; it must not change the given values.
 */
export function createMappedArray(
  from: StoredArray,
  type: StoredType,
  map: (values: NumberArray, start: number) => NumberArray,
): StoredArray {
  const { path, id, attributes, shape, chunks } = from;
  return {
    ...{ kind: "array", path, id, attributes, type, shape, chunks },
    async read(start, end, options) {
      const read = await from.read(start, end, options);
      if (read.kind !== "fixed") throw new InvalidDataError("no numbers", { element: path });
      return { kind: "fixed", values: map(read.values, start) };
    },
  };
}

/**
 * Returns the fields of a compound array as separate arrays. If the same rows of several fields are read one after the
 * other, the stored rows are read only once. Each read returns a field only once, since the field's memory may move to
 * another thread.
 */
export function createFieldArrays(from: StoredArray): readonly StoredArray[] {
  const { path, id, attributes, shape, chunks, type } = from;
  if (type.kind !== "record") throw new InvalidDataError("no compound array", { element: path });
  if (shape === null) throw new InvalidDataError("no values", { element: path });
  const rows = new SharedRows(from);
  return type.fields.map((own, field) => ({
    ...{ kind: "array", path: `${path}/${own.name}`, id: `${id}/${own.name}`, attributes, chunks },
    type: own.type,
    shape: [...shape, ...own.shape],
    async read(start, end, options) {
      const read = await rows.read(field, start, end, options);
      if (read.kind !== "record") throw new InvalidDataError("no records", { element: path });
      return read.fields[field];
    },
  }));
}

/** Reads each range of rows once and shares it between several callers. Each caller gets the range once. */
class SharedRows {
  readonly #from: StoredArray;
  #last: { readonly start: number; readonly end: number; readonly values: StoredValues } | null = null;
  readonly #taken = new Set<number>();

  constructor(from: StoredArray) {
    this.#from = from;
  }

  async read(user: number, start: number, end: number, options?: ReadOptions): Promise<StoredValues> {
    const last = this.#last;
    if (last !== null && last.start === start && last.end === end && !this.#taken.has(user)) {
      this.#taken.add(user);
      return last.values;
    }
    const values = await this.#from.read(start, end, options);
    this.#last = { start, end, values };
    this.#taken.clear();
    this.#taken.add(user);
    return values;
  }
}

/** Returns an array that caches the rows read last. The values must not be changed, and must not leave the thread. */
export function createLastReadArray(from: StoredArray): StoredArray {
  const { path, id, attributes, type, shape, chunks } = from;
  const last: { start: number; end: number; values: StoredValues }[] = [];
  return {
    ...{ kind: "array", path, id, attributes, type, shape, chunks },
    async read(start, end, options) {
      const [known] = last;
      if (known !== undefined && known.start === start && known.end === end) return known.values;
      const values = await from.read(start, end, options);
      last[0] = { start, end, values };
      return values;
    },
  };
}
