/** Selects rows of decoded values: a range, or rows in any order. */

import { countElements, type StoredType, type StoredValues } from "../../model/stored.js";
import { checkTextBytes } from "./join-values.js";
import { takeElements, takeVariable } from "./take-elements.js";

/** Returns rows [from, to) of a block with `per` values per row. Typed arrays are views of the block's memory. */
export function sliceRows(
  type: StoredType,
  values: StoredValues,
  per: number,
  [from, to]: readonly [from: number, to: number],
): StoredValues {
  switch (values.kind) {
    case "fixed": {
      const width = per * valuesPerElement(type);
      return { kind: "fixed", values: values.values.subarray(from * width, to * width) };
    }
    case "variable": {
      const base = values.offsets[from * per];
      const offsets = values.offsets.slice(from * per, to * per + 1);
      if (base !== 0) for (let i = 0; i < offsets.length; i++) offsets[i] -= base;
      return { kind: "variable", offsets, bytes: values.bytes.subarray(base, values.offsets[to * per]) };
    }
    case "record": {
      if (type.kind !== "record") throw new TypeError("record values have a record type");
      const fields = type.fields.map((field, i) =>
        sliceRows(field.type, values.fields[i], per * countElements(field.shape), [from, to]),
      );
      return { kind: "record", length: (to - from) * per, fields };
    }
    case "sequence": {
      if (type.kind !== "sequence") throw new TypeError("sequence values have a sequence type");
      const [first, last] = [values.offsets[from * per], values.offsets[to * per]];
      const offsets = values.offsets.slice(from * per, to * per + 1);
      if (first !== 0) for (let i = 0; i < offsets.length; i++) offsets[i] -= first;
      const items = sliceRows(type.item, values.values, countElements(type.shape ?? []), [first, last]);
      return { kind: "sequence", offsets, values: items };
    }
    default:
      return values satisfies never;
  }
}

/**
 * Copies the rows at `rows`, in any order and with any repetitions, of a block with `per` values per row.
 * @throws {InvalidInputError} if there is more text than Arrow's 32-bit offsets can address.
 */
export function takeRows(type: StoredType, values: StoredValues, per: number, rows: Int32Array): StoredValues {
  switch (values.kind) {
    case "fixed":
      return { kind: "fixed", values: takeElements(values.values, rows, per * valuesPerElement(type)) };
    case "variable":
      return takeVariable(values, per === 1 ? rows : elementsOf(rows, per));
    case "record": {
      if (type.kind !== "record") throw new TypeError("record values have a record type");
      const fields = type.fields.map((field, i) =>
        takeRows(field.type, values.fields[i], per * countElements(field.shape), rows),
      );
      return { kind: "record", length: rows.length * per, fields };
    }
    case "sequence": {
      if (type.kind !== "sequence") throw new TypeError("sequence values have a sequence type");
      const { offsets, items } = itemsOf(values.offsets, per === 1 ? rows : elementsOf(rows, per));
      const taken = takeRows(type.item, values.values, countElements(type.shape ?? []), items);
      return { kind: "sequence", offsets, values: taken };
    }
    default:
      return values satisfies never;
  }
}

/** Returns the positions of the values in `rows`, with `per` values per row. */
function elementsOf(rows: Int32Array, per: number): Int32Array {
  const elements = new Int32Array(rows.length * per);
  for (let i = 0, at = 0; i < rows.length; i++) {
    for (let k = 0; k < per; k++) elements[at++] = rows[i] * per + k;
  }
  return elements;
}

/** Returns the offsets of the sequences at `places`, and the positions of all their items. */
function itemsOf(stored: Int32Array, places: Int32Array): { readonly offsets: Int32Array; readonly items: Int32Array } {
  const offsets = new Int32Array(places.length + 1);
  let total = 0;
  for (let i = 0; i < places.length; i++) {
    total += stored[places[i] + 1] - stored[places[i]];
    checkTextBytes(total);
    offsets[i + 1] = total;
  }
  const items = new Int32Array(total);
  for (let i = 0, at = 0; i < places.length; i++) {
    for (let k = stored[places[i]]; k < stored[places[i] + 1]; k++) items[at++] = k;
  }
  return { offsets, items };
}

/** Returns the number of typed array entries per element: 2 for complex, the width for fixed bytes. */
function valuesPerElement(type: StoredType): number {
  if (type.kind === "complex") return 2;
  return type.kind === "bytes" ? (type.width ?? 1) : 1;
}
