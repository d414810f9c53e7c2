/** Parts of decoded values, by rows of `per` values each. */

import { product, type StoredType, type StoredValues } from "../../model/stored.js";

/** Rows [from, to) of a block; typed arrays are views of the same memory. */
export function sliceRows(type: StoredType, values: StoredValues, per: number, from: number, to: number): StoredValues {
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
        sliceRows(field.type, values.fields[i], per * product(field.shape), from, to),
      );
      return { kind: "record", length: (to - from) * per, fields };
    }
    default:
      return values satisfies never;
  }
}

/** Typed-array entries of one element: 2 for complex, the width for fixed bytes. */
function valuesPerElement(type: StoredType): number {
  if (type.kind === "complex") return 2;
  return type.kind === "bytes" ? (type.width ?? 1) : 1;
}
