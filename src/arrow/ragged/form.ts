/**
 * Parses the form of an awkward array: JSON from any version of awkward becomes the same kind of tree (awkward 2,
 * `forms/form.py`).
 */

import { InvalidDataError, UnsupportedError } from "../../model/errors.js";
import { isJsonObject } from "../../model/json-object.js";
import type { IntType, StoredType, TimeUnit } from "../../model/stored.js";
import { getStoredArrowType } from "../stored.js";
import { type ArrowField, type ArrowType, BINARY, createField, INT32, NULL, nestType, UTF8 } from "../type.js";

/**
 * A node of the tree. `key` is the prefix of the names of its buffers, and `index` is the type of its offsets or
 * places.
 */
export type RaggedForm =
  | { readonly class: "NumpyArray"; readonly key: string; readonly type: StoredType; readonly innerShape: number[] }
  | { readonly class: "EmptyArray"; readonly key: string }
  | {
      readonly class: "ListOffsetArray" | "ListArray";
      readonly key: string;
      readonly index: IntType;
      readonly text: Text;
      readonly content: RaggedForm;
    }
  | {
      readonly class: "RegularArray";
      readonly key: string;
      readonly text: Text;
      readonly size: number;
      readonly content: RaggedForm;
    }
  | {
      readonly class: "RecordArray";
      readonly key: string;
      readonly fields: readonly string[];
      readonly contents: readonly RaggedForm[];
    }
  | {
      readonly class: "IndexedArray" | "IndexedOptionArray";
      readonly key: string;
      readonly index: IntType;
      readonly categorical: boolean;
      readonly content: RaggedForm;
    }
  | {
      readonly class: "ByteMaskedArray";
      readonly key: string;
      readonly validWhen: boolean;
      readonly content: RaggedForm;
    }
  | {
      readonly class: "BitMaskedArray";
      readonly key: string;
      readonly validWhen: boolean;
      readonly lsbOrder: boolean;
      readonly content: RaggedForm;
    }
  | { readonly class: "UnmaskedArray"; readonly key: string; readonly content: RaggedForm }
  | {
      readonly class: "UnionArray";
      readonly key: string;
      readonly index: IntType;
      readonly contents: readonly RaggedForm[];
    };

/** The type of a list of bytes: text, bytes, or an ordinary list (null). */
export type Text = "string" | "bytestring" | null;

/** Maximum nesting depth of a form. Real forms are less deep, and recursion to this depth is safe. */
const MAX_DEPTH = 64;

/**
 * Parses the `form` attribute.
 * @throws {InvalidDataError} if it is not a valid form; {UnsupportedError} for awkward classes that are not supported.
 */
export function parseForm(json: string): RaggedForm {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw new InvalidDataError("the awkward form is not JSON", { cause });
  }
  let next = 0;
  return parse(value, 0);

  // Every node, even one without buffers, gets a number in pre-order.
  function parse(node: unknown, depth: number): RaggedForm {
    if (depth > MAX_DEPTH) throw new UnsupportedError(`the awkward form is nested more than ${MAX_DEPTH} deep`);
    const number = next++;
    if (typeof node === "string") {
      return { class: "NumpyArray", key: `node${number}`, type: primitive(node), innerShape: [] };
    }
    if (!isJsonObject(node)) throw new InvalidDataError("a node of the awkward form is no object");
    const form = node;
    const key = typeof form.form_key === "string" ? form.form_key : `node${number}`;
    const name = String(form.class ?? "").replace(/(Array)(8|32|U32|64|8_32|8_U32|8_64)$/, "$1");
    const parameters = isJsonObject(form.parameters) ? form.parameters : {};
    const marker = parameters.__array__;
    const text: Text = marker === "string" || marker === "bytestring" ? marker : null;
    const categorical = marker === "categorical";
    const child = (): RaggedForm => parse(form.content, depth + 1);
    const flag = (field: string): boolean => {
      const value = form[field];
      if (typeof value !== "boolean") throw new InvalidDataError(`${name} of the awkward form has no ${field}`);
      return value;
    };
    switch (name) {
      case "NumpyArray": {
        const innerShape = Array.isArray(form.inner_shape) ? form.inner_shape.map(size) : [];
        return { class: "NumpyArray", key, type: primitive(form.primitive), innerShape };
      }
      case "EmptyArray":
        return { class: "EmptyArray", key };
      case "ListOffsetArray":
        return { class: "ListOffsetArray", key, index: indexType(form.offsets, form.class), text, content: child() };
      case "ListArray":
        return { class: "ListArray", key, index: indexType(form.starts, form.class), text, content: child() };
      case "RegularArray":
        return { class: "RegularArray", key, text, size: size(form.size), content: child() };
      case "RecordArray":
        return record(form, key, (content) => parse(content, depth + 1));
      case "IndexedArray":
      case "IndexedOptionArray":
        return { class: name, key, index: indexType(form.index, form.class), categorical, content: child() };
      case "ByteMaskedArray":
        return { class: "ByteMaskedArray", key, validWhen: flag("valid_when"), content: child() };
      case "BitMaskedArray":
        return {
          class: "BitMaskedArray",
          key,
          validWhen: flag("valid_when"),
          lsbOrder: flag("lsb_order"),
          content: child(),
        };
      case "UnmaskedArray":
        return { class: "UnmaskedArray", key, content: child() };
      case "UnionArray": {
        if (!Array.isArray(form.contents)) throw new InvalidDataError("a union of the awkward form has no contents");
        const contents = form.contents.map((content) => parse(content, depth + 1));
        return { class: "UnionArray", key, index: indexType(form.index, form.class), contents };
      }
      default:
        throw new UnsupportedError(`awkward form of class ${JSON.stringify(form.class)}`);
    }
  }
}

/**
 * Returns the integer type of a node's offsets or index. It is taken from the node's own field or, before awkward 2,
 * from its class. Only writers need it.
 */
function indexType(field: unknown, name: unknown): IntType {
  const said = typeof field === "string" ? field : String(name);
  return { kind: "int", bits: said.endsWith("32") ? 32 : 64, signed: !/u32$/i.test(said) };
}

function record(form: Record<string, unknown>, key: string, parse: (content: unknown) => RaggedForm): RaggedForm {
  const { contents } = form;
  if (isJsonObject(contents)) {
    const fields = Object.keys(contents);
    return { class: "RecordArray", key, fields, contents: fields.map((name) => parse(contents[name])) };
  }
  if (!Array.isArray(contents)) throw new InvalidDataError("a record of the awkward form has no contents");
  const fields = Array.isArray(form.fields) ? form.fields.map(String) : contents.map((_, i) => String(i));
  if (fields.length !== contents.length) {
    throw new InvalidDataError(`a record of the awkward form has ${fields.length} fields, ${contents.length} contents`);
  }
  return { class: "RecordArray", key, fields, contents: contents.map(parse) };
}

const PRIMITIVES: ReadonlyMap<string, StoredType> = new Map<string, StoredType>([
  ["bool", { kind: "bool" }],
  ...([8, 16, 32, 64] as const).flatMap((bits): [string, StoredType][] => [
    [`int${bits}`, { kind: "int", bits, signed: true }],
    [`uint${bits}`, { kind: "int", bits, signed: false }],
  ]),
  ...([16, 32, 64] as const).map((bits): [string, StoredType] => [`float${bits}`, { kind: "float", bits }]),
  ...([64, 128] as const).map((bits): [string, StoredType] => [`complex${bits}`, { kind: "complex", bits }]),
]);

const TIMES = /^(datetime|timedelta)64\[(\d*)(Y|M|W|D|h|m|s|ms|us|ns|ps|fs|as)\]$/;
const UNITS: ReadonlyMap<string, TimeUnit> = new Map(
  (["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"] as const).map((unit) => [unit, unit]),
);

function primitive(name: unknown): StoredType {
  const plain = PRIMITIVES.get(String(name));
  if (plain !== undefined) return plain;
  const time = TIMES.exec(String(name));
  const unit = UNITS.get(time?.[3] ?? "");
  if (time !== null && unit !== undefined) {
    return { kind: time[1] === "datetime" ? "datetime" : "timedelta", unit, step: Number(time[2] || 1) };
  }
  throw new UnsupportedError(`awkward primitive ${JSON.stringify(name)} has no Arrow type`);
}

function size(value: unknown): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw new InvalidDataError(`size ${JSON.stringify(value)} in the awkward form`);
}

/** Returns the Arrow type of the form. All lists become List, because no batch has 2^31 entries. */
export function getRaggedArrowType(form: RaggedForm): ArrowType {
  switch (form.class) {
    case "NumpyArray":
      return nestType(getStoredArrowType(form.type), form.innerShape);
    case "EmptyArray":
      return NULL;
    case "ListOffsetArray":
    case "ListArray":
      return textType(form.text) ?? { id: "List", item: child("item", form.content) };
    case "RegularArray":
      if (form.text === "bytestring") return { id: "FixedSizeBinary", width: form.size };
      return textType(form.text) ?? { id: "FixedSizeList", size: form.size, item: child("item", form.content) };
    case "RecordArray":
      return { id: "Struct", fields: form.contents.map((content, i) => child(form.fields[i], content)) };
    case "IndexedArray":
    case "IndexedOptionArray":
      return form.categorical
        ? { id: "Dictionary", index: INT32, value: getRaggedArrowType(form.content), ordered: false }
        : getRaggedArrowType(form.content);
    case "ByteMaskedArray":
    case "BitMaskedArray":
    case "UnmaskedArray":
      return getRaggedArrowType(form.content);
    case "UnionArray":
      return { id: "DenseUnion", fields: form.contents.map((content, i) => child(String(i), content)) };
    default:
      return form satisfies never;
  }
}

/** Returns the field of a child. It is always nullable, because records and unions inherit nulls from options above. */
function child(name: string, form: RaggedForm): ArrowField {
  return createField(name, getRaggedArrowType(form));
}

function textType(text: "string" | "bytestring" | null): ArrowType | null {
  return text === null ? null : text === "string" ? UTF8 : BINARY;
}
