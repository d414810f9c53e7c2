/**
 * List columns: lists whose elements are vectors of one kind, and Bioconductor's `CharacterList` and similar classes.
 */

import { InvalidDataError, UnsupportedError } from "annarrow";
import type { RaggedForm } from "annarrow/core/arrow";
import { findMissingInR } from "annarrow/core/kernels";
import type { NumberArray, StoredType } from "annarrow/core/model";
import type { ColumnElement } from "annarrow/core/readers";
import type { StoredArray } from "annarrow/format";
import { encodeStrings, MISSING, type RText, toUtf8Values } from "../../../containers/rds/model/text.js";
import type { RList, RValue } from "../../../containers/rds/model/value.js";
import { createRNumberVector, FLOAT64, INT32, toBooleanBytes } from "./arrays.js";
import { describeRValue, getRAttributes, getRSlot, listRTexts, toWholeNumbers } from "./value.js";

type Vector = Extract<RValue, { kind: "logical" | "integer" | "real" | "character" | "raw" }>;

/**
 * Makes a column with one row per element.
 * @throws {UnsupportedError} for elements of mixed kinds, and for other values.
 */
export function listColumn(path: string, { values }: RList): ColumnElement {
  const vectors: (Vector | null)[] = values.map((one, i) => {
    if (one.kind === "null") return null;
    if (isVector(one) && !getRAttributes(one).has("class") && !getRAttributes(one).has("dim")) return one;
    throw new UnsupportedError(`element ${i + 1} is ${describeRValue(one)}, no vector`, { element: path });
  });
  const present = vectors.filter((one) => one !== null);
  const other = present.find(({ kind }) => kind !== present[0].kind);
  if (other !== undefined) {
    throw new UnsupportedError(`elements of the kinds ${present[0].kind} and ${other.kind}`, { element: path });
  }
  const offsets = new BigInt64Array(values.length + 1);
  for (const [i, one] of vectors.entries()) offsets[i + 1] = offsets[i] + BigInt(one === null ? 0 : lengthOf(one));
  const missing = vectors.includes(null) ? Uint8Array.from(vectors, (one) => (one === null ? 1 : 0)) : null;
  return lists(path, joined(present), offsets, missing);
}

/** Whether an object is a list that stores the values of all elements in one vector. */
export function isCompressedList(value: RValue): boolean {
  return value.kind === "s4" && value.slots.has("unlistData") && isVector(getRSlot(value, "unlistData"));
}

/** @throws {InvalidDataError} for ends that decrease or do not match the values. */
export function toCompressedListColumn(path: string, value: RValue): ColumnElement {
  const flat = getRSlot(value, "unlistData");
  if (!isVector(flat)) throw new UnsupportedError(`lists of ${describeRValue(flat)}`, { element: path });
  const ends = toWholeNumbers(getRSlot(getRSlot(value, "partitioning"), "end"), "end");
  const offsets = new BigInt64Array(ends.length + 1);
  for (const [i, end] of ends.entries()) {
    if (BigInt(end) < offsets[i]) throw new InvalidDataError(`list ${i + 1} ends at ${end}`, { element: path });
    offsets[i + 1] = BigInt(end);
  }
  const count = lengthOf(flat);
  if (offsets[ends.length] !== BigInt(count)) {
    throw new InvalidDataError(`${count} values in lists of ${offsets[ends.length]}`, { element: path });
  }
  if (getRAttributes(flat).has("class"))
    throw new UnsupportedError(`lists of ${describeRValue(flat)}`, { element: path });
  return lists(path, flat, offsets, null);
}

function isVector(value: RValue): value is Vector {
  return ["logical", "integer", "real", "character", "raw"].includes(value.kind);
}

function lengthOf(value: Vector): number {
  return value.kind === "character" ? value.text.encodings.length : value.values.length;
}

/** Concatenates the values of all vectors; null if there are no vectors. */
function joined(vectors: readonly Vector[]): Vector | null {
  const [first] = vectors;
  if (first === undefined) return null;
  switch (first.kind) {
    case "character":
      return {
        ...first,
        text: encodeStrings(vectors.flatMap((one) => (one.kind === "character" ? listRTexts(one.text) : []))),
      };
    case "logical":
    case "integer":
      return { ...first, values: filled(new Int32Array(total(vectors)), vectors) };
    case "real":
      return { ...first, values: filled(new Float64Array(total(vectors)), vectors) };
    case "raw":
      return { ...first, values: filled(new Uint8Array(total(vectors)), vectors) };
    default:
      return first satisfies never;
  }
}

function total(vectors: readonly Vector[]): number {
  return vectors.reduce((sum, one) => sum + lengthOf(one), 0);
}

function filled<T extends Int32Array | Float64Array | Uint8Array>(to: T, vectors: readonly Vector[]): T {
  let at = 0;
  for (const one of vectors) {
    if (one.kind === "character") continue;
    to.set(one.values, at);
    at += one.values.length;
  }
  return to;
}

/** Buffers of lists, keyed by node name. */
interface Ragged {
  readonly form: RaggedForm;
  readonly buffers: readonly (readonly [name: string, array: StoredArray])[];
}

function lists(path: string, values: Vector | null, offsets: BigInt64Array, missing: Uint8Array | null): ColumnElement {
  const content = contentOf(path, values);
  const inner: Ragged = {
    form: { class: "ListOffsetArray", key: "lists", index: OFFSETS, text: null, content: content.form },
    buffers: [["lists-offsets", createRNumberVector(`${path}/offsets`, OFFSETS, offsets)], ...content.buffers],
  };
  const { form, buffers } = masked(path, "rows", inner, missing);
  return {
    plan: { kind: "ragged", form, length: offsets.length - 1, buffers: new Map(buffers) },
    metadata: { kind: "awkward-array" },
  };
}

function contentOf(path: string, values: Vector | null): Ragged {
  if (values === null) return { form: { class: "EmptyArray", key: "values" }, buffers: [] };
  switch (values.kind) {
    case "character":
      return masked(path, "items", textContent(path, values.text), missingTexts(values.text));
    case "logical":
      return masked(
        path,
        "items",
        numbers(path, { kind: "bool" }, toBooleanBytes(values.values)),
        findMissingInR(values.values),
      );
    case "integer":
      return masked(path, "items", numbers(path, INT32, values.values), findMissingInR(values.values));
    case "real":
      return masked(path, "items", numbers(path, FLOAT64, values.values), findMissingInR(values.values));
    case "raw":
      return numbers(path, BYTE, values.values);
    default:
      return values satisfies never;
  }
}

const OFFSETS = { kind: "int", bits: 64, signed: true } as const;
const BYTE: StoredType = { kind: "int", bits: 8, signed: false };

function numbers(path: string, type: StoredType, values: NumberArray): Ragged {
  return {
    form: { class: "NumpyArray", key: "values", type, innerShape: [] },
    buffers: [["values-data", createRNumberVector(`${path}/values`, type, values)]],
  };
}

function textContent(path: string, text: RText): Ragged {
  const { offsets, bytes } = toUtf8Values(text);
  const content = numbers(path, BYTE, bytes);
  return {
    form: { class: "ListOffsetArray", key: "texts", index: OFFSETS, text: "string", content: content.form },
    buffers: [
      ["texts-offsets", createRNumberVector(`${path}/texts`, OFFSETS, BigInt64Array.from(offsets, BigInt))],
      ...content.buffers,
    ],
  };
}

function missingTexts({ encodings }: RText): Uint8Array | null {
  return encodings.includes(MISSING) ? encodings.map((one) => (one === MISSING ? 1 : 0)) : null;
}

/** Returns the values, with a mask if some are missing. */
function masked(path: string, key: string, inner: Ragged, mask: Uint8Array | null): Ragged {
  if (mask === null) return inner;
  return {
    form: { class: "ByteMaskedArray", key, validWhen: false, content: inner.form },
    buffers: [
      [
        `${key}-mask`,
        createRNumberVector(`${path}/${key}`, { kind: "int", bits: 8, signed: true }, new Int8Array(mask)),
      ],
      ...inner.buffers,
    ],
  };
}
