/** R's atomic vectors as stored arrays of one dimension; what stands for a matrix has its `dim` as an attribute. */

import { InvalidInputError } from "../../model/errors.js";
import {
  bytesOf,
  type EnumMember,
  type StoredType,
  type StoredValues,
  type VariableValues,
} from "../../model/stored.js";
import type { StoredArray } from "../tree/container.js";
import { attributeValues } from "./model/attribute-values.js";
import { LATIN1, MISSING, type RText, textAt, textLength, textOf } from "./model/text.js";
import {
  NA_INTEGER,
  type RCharacter,
  type RComplex,
  type RInteger,
  type RLogical,
  type RNull,
  type RRaw,
  type RReal,
} from "./model/value.js";

type Vector = RNull | RLogical | RInteger | RReal | RComplex | RCharacter | RRaw;

/** The array of a vector's values as they are: integers keep NA as the least of them, and missing strings are "NA". */
export function vectorArray(value: Vector, path: string, id: string): StoredArray {
  const node = { kind: "array", path, id, chunks: null } as const;
  switch (value.kind) {
    case "null":
      return {
        ...{ ...node, attributes: new Map(), type: { kind: "unsupported", name: "NULL" }, shape: null },
        read: () => Promise.reject(new InvalidInputError("NULL has no values", { element: path })),
      };
    case "logical": {
      const missing = value.values.includes(NA_INTEGER);
      const values = missing ? value.values : Uint8Array.from(value.values, (stored) => (stored === 0 ? 0 : 1));
      return { ...node, ...fixed(value, missing ? LOGICAL : { kind: "bool" }, values, 1, path) };
    }
    case "integer":
      return { ...node, ...fixed(value, { kind: "int", bits: 32, signed: true }, value.values, 1, path) };
    case "real":
      return { ...node, ...fixed(value, { kind: "float", bits: 64 }, value.values, 1, path) };
    case "complex":
      return { ...node, ...fixed(value, { kind: "complex", bits: 128 }, value.values, 2, path) };
    case "raw":
      return { ...node, ...fixed(value, { kind: "int", bits: 8, signed: false }, value.values, 1, path) };
    case "character": {
      const text = unified(value.text);
      const count = textLength(value.text);
      return {
        ...{ ...node, attributes: attributeValues(value.attributes), type: TEXT, shape: [count] },
        async read(start, end, options) {
          options?.signal?.throwIfAborted();
          checkRange(start, end, count, path);
          return part(text, start, end);
        },
      };
    }
    default:
      return value satisfies never;
  }
}

const TEXT: StoredType = { kind: "text", storage: { form: "variable", encoding: "utf-8" } };

const MEMBERS: readonly EnumMember[] = [
  { name: "FALSE", value: 0 },
  { name: "TRUE", value: 1 },
  { name: "NA", value: NA_INTEGER },
];

/** Logicals among which some are missing. */
const LOGICAL: StoredType = { kind: "enum", base: { kind: "int", bits: 32, signed: true }, members: MEMBERS };

function fixed(
  { attributes }: Exclude<Vector, RNull>,
  type: StoredType,
  values: Int32Array | Float64Array | Uint8Array,
  width: number,
  path: string,
): Pick<StoredArray, "type" | "shape" | "attributes" | "read" | "readInto"> {
  const count = values.length / width;
  return {
    type,
    shape: [count],
    attributes: attributeValues(attributes),
    async read(start, end, options): Promise<StoredValues> {
      options?.signal?.throwIfAborted();
      checkRange(start, end, count, path);
      // The memory of the object is not given away.
      return { kind: "fixed", values: values.slice(start * width, end * width) };
    },
    async readInto(start, end, target, options) {
      options?.signal?.throwIfAborted();
      checkRange(start, end, count, path);
      target.set(bytesOf(values.subarray(start * width, end * width)));
    },
  };
}

function checkRange(start: number, end: number, count: number, path: string): void {
  if (start >= 0 && start <= end && end <= count) return;
  throw new InvalidInputError(`values ${start} to ${end} of ${count}`, { element: path });
}

/** Strings in one encoding: those that say they are Latin-1 as UTF-8, all others as they are. */
function unified(text: RText): VariableValues {
  const { offsets, bytes, encodings } = text;
  if (!encodings.includes(LATIN1) && !encodings.includes(MISSING)) return { kind: "variable", offsets, bytes };
  const own: Uint8Array[] = [];
  const to = new Int32Array(offsets.length);
  for (const [i, encoding] of encodings.entries()) {
    const changed = encoding === LATIN1 || encoding === MISSING;
    own[i] = changed ? textOf([textAt(text, i) ?? "NA"]).bytes : bytes.subarray(offsets[i], offsets[i + 1]);
    to[i + 1] = to[i] + own[i].length;
  }
  const joined = new Uint8Array(to[encodings.length]);
  for (const [i, one] of own.entries()) joined.set(one, to[i]);
  return { kind: "variable", offsets: to, bytes: joined };
}

function part({ offsets, bytes }: VariableValues, start: number, end: number): VariableValues {
  const base = offsets[start];
  return {
    kind: "variable",
    offsets: offsets.slice(start, end + 1).map((offset) => offset - base),
    bytes: bytes.subarray(base, offsets[end]),
  };
}
