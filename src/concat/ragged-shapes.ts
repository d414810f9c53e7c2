/** The shapes of ragged arrays, and the common shape of two arrays by the rules of `ak.concatenate`. */

import { getRaggedArrowType, type RaggedForm } from "../arrow/ragged/form.js";
import { type ArrowType, describeArrowType } from "../arrow/type.js";
import { InvalidInputError } from "../model/errors.js";
import type { IntType, StoredType } from "../model/stored.js";
import { getCommonNumericType, type NumericType } from "./common-type.js";

/** The values of a node in an awkward array, and whether they may be null. */
export interface RaggedShape {
  readonly option: boolean;
  readonly values: RaggedValues;
}

export type RaggedValues =
  | { readonly kind: "nothing" }
  | { readonly kind: "numbers"; readonly type: StoredType }
  | { readonly kind: "text"; readonly text: "string" | "bytestring" }
  | { readonly kind: "list"; readonly item: RaggedShape }
  | { readonly kind: "regular"; readonly size: number; readonly item: RaggedShape }
  | { readonly kind: "record"; readonly fields: ReadonlyMap<string, RaggedShape> }
  /** Values of several kinds. The union may be null if any of the kinds may be null. */
  | { readonly kind: "union"; readonly contents: readonly RaggedValues[] };

/**
 * Returns the shape of a form. Categories are treated as their values, because `ak.concatenate` does not unite them.
 */
export function toRaggedShape(form: RaggedForm): RaggedShape {
  switch (form.class) {
    case "NumpyArray":
      return form.innerShape.reduceRight<RaggedShape>(
        (item, size) => present({ kind: "regular", size, item }),
        present({ kind: "numbers", type: form.type }),
      );
    case "EmptyArray":
      return present({ kind: "nothing" });
    case "ListOffsetArray":
    case "ListArray":
      return present(textOr(form.text, () => ({ kind: "list", item: toRaggedShape(form.content) })));
    case "RegularArray":
      return present(
        textOr(form.text, () => ({ kind: "regular", size: form.size, item: toRaggedShape(form.content) })),
      );
    case "RecordArray":
      return present({
        kind: "record",
        fields: new Map(form.fields.map((name, i) => [name, toRaggedShape(form.contents[i])])),
      });
    case "IndexedArray":
      return toRaggedShape(form.content);
    case "IndexedOptionArray":
    case "ByteMaskedArray":
    case "BitMaskedArray":
    case "UnmaskedArray":
      return createOptionalShape(toRaggedShape(form.content));
    case "UnionArray": {
      const contents = form.contents.map(toRaggedShape);
      const values = contents.map((one) => one.values);
      return { option: contents.some(({ option }) => option), values: { kind: "union", contents: values } };
    }
    default:
      return form satisfies never;
  }
}

function present(values: RaggedValues): RaggedShape {
  return { option: false, values };
}

function textOr(text: "string" | "bytestring" | null, list: () => RaggedValues): RaggedValues {
  return text === null ? list() : { kind: "text", text };
}

export function createOptionalShape({ values }: RaggedShape): RaggedShape {
  return { option: true, values };
}

const INT64: IntType = { kind: "int", bits: 64, signed: true };
const BYTE: StoredType = { kind: "int", bits: 8, signed: false };

/** Returns the form in which values of this shape are written. Its nodes are numbered in pre-order. */
export function toRaggedForm(shape: RaggedShape): RaggedForm {
  let next = 0;
  return visit(shape);

  function visit({ option, values }: RaggedShape): RaggedForm {
    if (values.kind === "union") {
      const key = `node${next++}`;
      // In awkward, either all contents of a union are options or no content is.
      const contents = values.contents.map((one) => visit({ option, values: one }));
      return { class: "UnionArray", key, index: INT64, contents };
    }
    if (!option) return plain(values);
    const key = `node${next++}`;
    return { class: "IndexedOptionArray", key, index: INT64, categorical: false, content: plain(values) };
  }

  function plain(values: Exclude<RaggedValues, { kind: "union" }>): RaggedForm {
    const key = `node${next++}`;
    switch (values.kind) {
      case "nothing":
        return { class: "EmptyArray", key };
      case "numbers":
        return { class: "NumpyArray", key, type: values.type, innerShape: [] };
      case "text": {
        const content: RaggedForm = { class: "NumpyArray", key: `node${next++}`, type: BYTE, innerShape: [] };
        return { class: "ListOffsetArray", key, index: INT64, text: values.text, content };
      }
      case "list":
        return { class: "ListOffsetArray", key, index: INT64, text: null, content: visit(values.item) };
      case "regular":
        return { class: "RegularArray", key, text: null, size: values.size, content: visit(values.item) };
      case "record": {
        const fields = [...values.fields.keys()];
        return { class: "RecordArray", key, fields, contents: [...values.fields.values()].map(visit) };
      }
      default:
        return values satisfies never;
    }
  }
}

export function getShapeArrowType(shape: RaggedShape): ArrowType {
  return getRaggedArrowType(toRaggedForm(shape));
}

/**
 * Returns the common shape of two shapes: numbers are widened, a fixed-size list and a variable-size list become a
 * variable-size list, and records with equal names get the common shapes of their fields. Values with nothing in common
 * become a union.
 */
export function getCommonShape(a: RaggedShape, b: RaggedShape): RaggedShape {
  const option = a.option || b.option;
  return { option, values: mergedValues(a.values, b.values) ?? unionOf([a.values, b.values]) };
}

/** Returns the index of the first kind in a union that `values` can be merged with; -1 if there is no such kind. */
export function findUnionMember(contents: readonly RaggedValues[], values: RaggedValues): number {
  return contents.findIndex((one) => mergedValues(one, values) !== null);
}

function unionOf(all: readonly RaggedValues[]): RaggedValues {
  const contents: RaggedValues[] = [];
  for (const values of all.flatMap((one) => (one.kind === "union" ? one.contents : [one]))) {
    const place = findUnionMember(contents, values);
    if (place < 0) contents.push(values);
    else contents[place] = mergedValues(contents[place], values) ?? values;
  }
  return contents.length === 1 ? contents[0] : { kind: "union", contents };
}

/** Returns the common type of the values in `a` and `b`; null if only a union can hold both. */
function mergedValues(a: RaggedValues, b: RaggedValues): RaggedValues | null {
  if (a.kind === "nothing") return b;
  if (b.kind === "nothing") return a;
  if (a.kind === "union" || b.kind === "union") return unionOf([a, b]);
  if (a.kind === "numbers") return b.kind === "numbers" ? mergedNumbers(a.type, b.type) : null;
  if (a.kind === "text") return b.kind === "text" && a.text === b.text ? a : null;
  if (a.kind === "record") return b.kind === "record" ? mergedRecords(a.fields, b.fields) : null;
  if (b.kind !== "list" && b.kind !== "regular") return null;
  const item = mergedShape(a.item, b.item);
  if (item === null) return null;
  if (a.kind === "regular" && b.kind === "regular" && a.size === b.size) return { kind: "regular", size: a.size, item };
  return { kind: "list", item };
}

function mergedShape(a: RaggedShape, b: RaggedShape): RaggedShape | null {
  const values = mergedValues(a.values, b.values);
  return values === null ? null : { option: a.option || b.option, values };
}

function mergedRecords(a: ReadonlyMap<string, RaggedShape>, b: ReadonlyMap<string, RaggedShape>): RaggedValues | null {
  if (a.size !== b.size) return null;
  const fields = new Map<string, RaggedShape>();
  for (const [name, mine] of a) {
    const theirs = b.get(name);
    const merged = theirs === undefined ? null : mergedShape(mine, theirs);
    if (merged === null) return null;
    fields.set(name, merged);
  }
  return { kind: "record", fields };
}

function mergedNumbers(a: StoredType, b: StoredType): RaggedValues {
  const type = findCommonStoredType(a, b);
  if (type !== null) return { kind: "numbers", type };
  const [one, other] = [a, b].map((stored) =>
    describeArrowType(getShapeArrowType(present({ kind: "numbers", type: stored }))),
  );
  throw new InvalidInputError(`values of the types ${one} and ${other} are not put together`);
}

/** Returns the common type by numpy's rules; null for times in different units, and for times mixed with numbers. */
function findCommonStoredType(a: StoredType, b: StoredType): StoredType | null {
  if (JSON.stringify(a) === JSON.stringify(b)) return a;
  const [one, other] = [realType(a), realType(b)];
  if (one === null || other === null) return null;
  const real = getCommonNumericType([one, other]);
  if (a.kind !== "complex" && b.kind !== "complex") return storedNumbers(real);
  return { kind: "complex", bits: real.id === "Float" && real.bits < 64 ? 64 : 128 };
}

/** Returns the type of real numbers, or of the parts of complex numbers. */
function realType(type: StoredType): NumericType | null {
  switch (type.kind) {
    case "bool":
      return { id: "Bool" };
    case "int":
      return { id: "Int", bits: type.bits, signed: type.signed };
    case "float":
      return { id: "Float", bits: type.bits };
    case "complex":
      return { id: "Float", bits: type.bits === 64 ? 32 : 64 };
    default:
      return null;
  }
}

function storedNumbers(type: NumericType): StoredType {
  switch (type.id) {
    case "Bool":
      return { kind: "bool" };
    case "Int":
      return { kind: "int", bits: type.bits, signed: type.signed };
    case "Float":
      return { kind: "float", bits: type.bits };
    default:
      return type satisfies never;
  }
}

/** Returns the field names of the outermost record below any lists; null if there is no record. */
export function recordNames({ values }: RaggedShape): readonly string[] | null {
  if (values.kind === "record") return [...values.fields.keys()];
  return values.kind === "list" || values.kind === "regular" ? recordNames(values.item) : null;
}

/** Returns the shape, with its outermost record reduced to these fields. */
export function withFields(shape: RaggedShape, names: readonly string[]): RaggedShape {
  const { values, option } = shape;
  if (values.kind === "list" || values.kind === "regular") {
    return { option, values: { ...values, item: withFields(values.item, names) } };
  }
  if (values.kind !== "record") return shape;
  const fields = [...values.fields].filter(([name]) => names.includes(name));
  return { option, values: { kind: "record", fields: new Map(fields) } };
}
