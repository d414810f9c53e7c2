/** Forms as the JSON that awkward's `Form.to_json` writes: every field of every node, spaces as Python has them. */

import { UnsupportedError } from "../../model/errors.js";
import type { IntType, StoredType } from "../../model/stored.js";
import type { RaggedForm } from "./form.js";

/** @param unmasked keys of the option nodes in which nothing is missing. */
export function formJson(form: RaggedForm, unmasked: ReadonlySet<string> = new Set()): string {
  return pythonJson(node(form, {}, unmasked));
}

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type Node = { readonly [key: string]: Json };

function node(form: RaggedForm, parameters: Node, unmasked: ReadonlySet<string>): Node {
  const rest = { parameters, form_key: form.key };
  const child = (content: RaggedForm, marks: Node = {}): Node => node(content, marks, unmasked);
  switch (form.class) {
    case "NumpyArray":
      return { class: form.class, primitive: primitiveName(form.type), inner_shape: form.innerShape, ...rest };
    case "EmptyArray":
      return { class: form.class, ...rest };
    case "ListOffsetArray":
    case "ListArray": {
      const name = indexName(form.index);
      const pointers: Node = form.class === "ListArray" ? { starts: name, stops: name } : { offsets: name };
      const marks = textMarks(form.text);
      return { class: form.class, ...pointers, content: child(form.content, marks.content), ...rest, ...marks.list };
    }
    case "RegularArray": {
      const marks = textMarks(form.text);
      const { size, content } = form;
      return { class: form.class, size, content: child(content, marks.content), ...rest, ...marks.list };
    }
    case "RecordArray": {
      const contents = form.contents.map((content) => child(content));
      return { class: form.class, fields: form.fields, contents, ...rest };
    }
    case "IndexedArray":
    case "IndexedOptionArray": {
      const marks = form.categorical ? { parameters: { __array__: "categorical" } } : {};
      const content = child(form.content);
      return { class: form.class, index: indexName(form.index), content, ...rest, ...marks };
    }
    case "ByteMaskedArray":
      return { class: form.class, mask: "i8", valid_when: form.validWhen, content: child(form.content), ...rest };
    case "BitMaskedArray": {
      const content = child(form.content);
      if (unmasked.has(form.key)) return { class: "UnmaskedArray", content, ...rest };
      const { validWhen, lsbOrder } = form;
      return { class: form.class, mask: "u8", valid_when: validWhen, lsb_order: lsbOrder, content, ...rest };
    }
    case "UnmaskedArray":
      return { class: form.class, content: child(form.content), ...rest };
    case "UnionArray": {
      const contents = form.contents.map((content) => child(content));
      return { class: form.class, tags: "i8", index: indexName(form.index), contents, ...rest };
    }
    default:
      return form satisfies never;
  }
}

function textMarks(text: "string" | "bytestring" | null): { readonly list: Node; readonly content: Node } {
  if (text === null) return { list: {}, content: {} };
  return { list: { parameters: { __array__: text } }, content: { __array__: text === "string" ? "char" : "byte" } };
}

function indexName({ bits, signed }: IntType): string {
  return `${signed ? "i" : "u"}${bits}`;
}

function primitiveName(type: StoredType): string {
  switch (type.kind) {
    case "bool":
      return "bool";
    case "int":
      return `${type.signed ? "int" : "uint"}${type.bits}`;
    case "float":
    case "complex":
      return `${type.kind}${type.bits}`;
    case "datetime":
    case "timedelta":
      return `${type.kind}64[${type.step === 1 ? "" : type.step}${type.unit}]`;
    default:
      throw new UnsupportedError(`awkward arrays have no values of type ${type.kind}`);
  }
}

/** JSON as Python's `json.dumps` writes it. */
export function pythonJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).map(([key, one]) => `${ascii(key)}: ${pythonJson(one)}`);
    return `{${entries.join(", ")}}`;
  }
  return typeof value === "string" ? ascii(value) : JSON.stringify(value);
}

function ascii(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
