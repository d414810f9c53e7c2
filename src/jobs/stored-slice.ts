/** Parts of decoded values, by rows of `per` values each. */

import { InvalidDataError } from "../errors.js";
import { product, type StoredType, type StoredValues } from "../stored.js";

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

/** Two blocks of the same type, one after the other. */
export function concatenate(first: StoredValues, second: StoredValues): StoredValues {
  if (first.kind === "fixed" && second.kind === "fixed") {
    const out = emptyLike(first.values, first.values.length + second.values.length);
    setValues(out, first.values, 0);
    setValues(out, second.values, first.values.length);
    return { kind: "fixed", values: out };
  }
  if (first.kind === "variable" && second.kind === "variable") {
    const count = first.offsets.length - 1;
    const base = first.offsets[count];
    const total = base + second.offsets[second.offsets.length - 1];
    if (total >= 2 ** 31) throw new InvalidDataError(`${total} bytes of text in one batch; ask for smaller batches`);
    const offsets = new Int32Array(count + second.offsets.length);
    offsets.set(first.offsets);
    for (let i = 0; i < second.offsets.length; i++) offsets[count + i] = base + second.offsets[i];
    const bytes = new Uint8Array(total);
    bytes.set(first.bytes.subarray(0, base));
    bytes.set(second.bytes.subarray(0, total - base), base);
    return { kind: "variable", offsets, bytes };
  }
  if (first.kind === "record" && second.kind === "record") {
    const fields = first.fields.map((field, i) => concatenate(field, second.fields[i]));
    return { kind: "record", length: first.length + second.length, fields };
  }
  throw new TypeError(`${first.kind} and ${second.kind} values cannot be joined`);
}

/** Typed-array entries of one element: 2 for complex, the width for fixed bytes. */
function valuesPerElement(type: StoredType): number {
  if (type.kind === "complex") return 2;
  return type.kind === "bytes" ? (type.width ?? 1) : 1;
}

type NumberArray = Extract<StoredValues, { kind: "fixed" }>["values"];

function emptyLike(values: NumberArray, length: number): NumberArray {
  const bytes = new ArrayBuffer(length * values.BYTES_PER_ELEMENT);
  if (values instanceof Int8Array) return new Int8Array(bytes);
  if (values instanceof Uint8Array) return new Uint8Array(bytes);
  if (values instanceof Int16Array) return new Int16Array(bytes);
  if (values instanceof Uint16Array) return new Uint16Array(bytes);
  if (values instanceof Int32Array) return new Int32Array(bytes);
  if (values instanceof Uint32Array) return new Uint32Array(bytes);
  if (values instanceof BigInt64Array) return new BigInt64Array(bytes);
  if (values instanceof BigUint64Array) return new BigUint64Array(bytes);
  if (values instanceof Float32Array) return new Float32Array(bytes);
  return new Float64Array(bytes);
}

function setValues(target: NumberArray, source: NumberArray, at: number): void {
  const out = new Uint8Array(target.buffer, target.byteOffset + at * target.BYTES_PER_ELEMENT, source.byteLength);
  out.set(new Uint8Array(source.buffer, source.byteOffset, source.byteLength));
}
