/** Stored arrays in memory, for tests of what lies above the containers. They count what is read of them. */

import type { AttributeValue, StoredArray } from "../src/containers/tree/container.js";
import type { NumberArray, StoredType, StoredValues } from "../src/model/stored.js";

export interface MemoryArray extends StoredArray {
  /** The rows of every read, in order. */
  readonly reads: (readonly [start: number, end: number])[];
}

export interface MemoryArrayOptions {
  readonly path?: string;
  readonly chunks?: readonly number[];
  readonly attributes?: Readonly<Record<string, AttributeValue>>;
}

const total = (shape: readonly number[]) => shape.reduce((a, b) => a * b, 1);

/** An array of the values, which may have been decoded from anywhere. */
export function memoryArray(
  type: StoredType,
  shape: readonly number[],
  values: StoredValues,
  { path = "array", chunks, attributes = {} }: MemoryArrayOptions = {},
): MemoryArray {
  const reads: [number, number][] = [];
  return {
    kind: "array",
    path,
    id: path,
    attributes: new Map(Object.entries(attributes)),
    type,
    shape,
    chunks: chunks ?? null,
    reads,
    read: async (start, end, options) => {
      options?.signal?.throwIfAborted();
      reads.push([start, end]);
      return part(type, values, total(shape.slice(1)), start, end);
    },
  };
}

/** A one-dimensional array of numbers; the type follows from the typed array. */
export function numbersArray(values: NumberArray, options: MemoryArrayOptions = {}): MemoryArray {
  return memoryArray(typeOf(values), [values.length], { kind: "fixed", values }, options);
}

/** A one-dimensional array of text. */
export function textArray(values: readonly string[], options: MemoryArrayOptions = {}): MemoryArray {
  return memoryArray(TEXT, [values.length], textOf(values), options);
}

export const TEXT: StoredType = { kind: "text", storage: { form: "variable", encoding: "utf-8" } };

export function textOf(values: readonly string[]): Extract<StoredValues, { kind: "variable" }> {
  return variableOf(values.map((value) => new TextEncoder().encode(value)));
}

export function variableOf(values: readonly Uint8Array[]): Extract<StoredValues, { kind: "variable" }> {
  const offsets = new Int32Array(values.length + 1);
  for (const [i, value] of values.entries()) offsets[i + 1] = offsets[i] + value.length;
  const bytes = new Uint8Array(offsets[values.length]);
  for (const [i, value] of values.entries()) bytes.set(value, offsets[i]);
  return { kind: "variable", offsets, bytes };
}

export function typeOf(values: NumberArray): StoredType {
  if (values instanceof Float32Array) return { kind: "float", bits: 32 };
  if (values instanceof Float64Array) return { kind: "float", bits: 64 };
  const bits = values.BYTES_PER_ELEMENT * 8;
  if (bits !== 8 && bits !== 16 && bits !== 32 && bits !== 64) throw new TypeError("unknown typed array");
  return { kind: "int", bits, signed: /^(Big)?Int/.test(values.constructor.name) };
}

/** Rows [start, end) of `per` values each, copied value by value. */
function part(type: StoredType, values: StoredValues, per: number, start: number, end: number): StoredValues {
  const [from, to] = [start * per, end * per];
  switch (values.kind) {
    case "fixed": {
      const width = type.kind === "complex" ? 2 : type.kind === "bytes" ? (type.width ?? 1) : 1;
      return { kind: "fixed", values: values.values.slice(from * width, to * width) };
    }
    case "variable":
      return variableOf(
        Array.from({ length: to - from }, (_, i) =>
          values.bytes.slice(values.offsets[from + i], values.offsets[from + i + 1]),
        ),
      );
    case "record": {
      const fields = type.kind === "record" ? type.fields : [];
      return {
        kind: "record",
        length: to - from,
        fields: fields.map((field, i) => part(field.type, values.fields[i], per * total(field.shape), start, end)),
      };
    }
    case "sequence":
      throw new TypeError("no array of sequences is made");
    default:
      return values satisfies never;
  }
}
