/** An array whose numbers are computed from those of another one. */

import { InvalidDataError } from "../../model/errors.js";
import type { NumberArray, StoredType } from "../../model/stored.js";
import type { StoredArray } from "../tree/container.js";

/**
 * Makes an array of the same shape. Its rows are read where the values are used: workers cannot open it.
 * @param map computes as many values; it must not change the given ones.
 */
export function mappedArray(
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

/** One field of a compound array, as an array of its own. */
export function fieldArray(from: StoredArray, field: number): StoredArray {
  const { path, id, attributes, shape, chunks, type } = from;
  if (type.kind !== "record") throw new InvalidDataError("no compound array", { element: path });
  const own = type.fields[field];
  if (shape === null) throw new InvalidDataError("no values", { element: path });
  return {
    ...{ kind: "array", path: `${path}/${own.name}`, id: `${id}/${own.name}`, attributes, chunks },
    type: own.type,
    shape: [...shape, ...own.shape],
    async read(start, end, options) {
      const read = await from.read(start, end, options);
      if (read.kind !== "record") throw new InvalidDataError("no records", { element: path });
      return read.fields[field];
    },
  };
}
