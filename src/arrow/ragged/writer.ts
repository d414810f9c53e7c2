/**
 * Writes columns as the form and buffers of an awkward array, batch by batch (the inverse of `column.ts`). Also makes
 * forms from types, and JSON from forms.
 */

import { InvalidInputError, isAnnarrowError, UnsupportedError } from "../../model/errors.js";
import type { IntType, StoredType } from "../../model/stored.js";
import type { Column } from "../column.js";
import type { FieldMetadata } from "../storage-metadata.js";
import { type ArrowField, type ArrowType, describeArrowType } from "../type.js";
import { toWrittenForm } from "../written-type.js";
import { getRaggedArrowType, parseForm, type RaggedForm } from "./form.js";
import type { NodeWriter, RaggedBufferRows, Sink } from "./node-sink.js";
import { createNodeWriter } from "./node-writer.js";

/**
 * Takes the batches of one column in order, and returns the parts that each batch adds to the buffers. If the metadata
 * contains the array's original form, the array is written back in that form. If it does not, or if the type has
 * changed, the form is derived from the type.
 */
export class RaggedWriter {
  readonly #root: NodeWriter;
  readonly #form: RaggedForm;
  /** The cached form as read from the file, unchanged. */
  readonly #given: unknown;
  readonly #unmasked = new Set<string>();
  readonly #seen = new Set<string>();
  readonly #declared: RaggedBufferRows[] = [];
  #pieces: RaggedBufferRows[] = [];
  #length = 0;

  /**
   * @param metadata metadata of the field, or of the table if the field is its only column.
   * @throws {InvalidInputError} for a form that is not valid; {UnsupportedError} for types that awkward arrays do not
   * support.
   */
  constructor(field: ArrowField, metadata: FieldMetadata = field.metadata ?? {}) {
    const given = givenForm(field, metadata);
    this.#form = given?.form ?? createRaggedForm(field);
    this.#given = given?.json;
    const sink: Sink = {
      auto: given === null,
      declare: (name, type, shape, empty) => {
        this.#declared.push({ name, type, shape, values: empty, rows: 0 });
      },
      emit: (piece) => {
        if (piece.rows === 0) return;
        this.#seen.add(piece.name);
        this.#pieces.push(piece);
      },
      unmask: (key) => this.#unmasked.add(key),
    };
    this.#root = createNodeWriter(this.#form, sink);
  }

  /** Number of rows so far, which becomes the array's attribute `length`. */
  get length(): number {
    return this.#length;
  }

  /**
   * Adds a batch.
   * @throws {InvalidInputError} if a value that the form requires is missing, or if offsets exceed their type.
   */
  append(column: Column): readonly RaggedBufferRows[] {
    this.#root.append(column, null);
    this.#length += column.length;
    return this.#taken();
  }

  /** Ends the array. Returns the remaining pieces, and one empty piece for each buffer that received no rows. */
  finish(): readonly RaggedBufferRows[] {
    this.#root.finish();
    const last = this.#taken();
    return [...last, ...this.#declared.filter(({ name }) => !this.#seen.has(name))];
  }

  /** The attribute `form`, known after `finish`. */
  get form(): string {
    return this.#given === undefined ? encodeFormJson(this.#form, this.#unmasked) : encodePythonJson(this.#given);
  }

  #taken(): readonly RaggedBufferRows[] {
    const pieces = this.#pieces;
    this.#pieces = [];
    return pieces;
  }
}

function givenForm(field: ArrowField, { form: json }: FieldMetadata): { form: RaggedForm; json: unknown } | null {
  if (json === undefined) return null;
  let form: RaggedForm;
  try {
    form = parseForm(JSON.stringify(json));
  } catch (error) {
    if (!isAnnarrowError(error, "InvalidDataError")) throw error;
    throw new InvalidInputError(`the metadata annarrow of ${field.name} has no form: ${error.problem}`);
  }
  return describeArrowType(getRaggedArrowType(form)) === describeArrowType(field.type) ? { form, json } : null;
}

const INT64: IntType = { kind: "int", bits: 64, signed: true };
const BYTE: StoredType = { kind: "int", bits: 8, signed: false };

/**
 * Returns the form for `field`, with nodes numbered in pre-order. A nullable field becomes a BitMaskedArray, which
 * turns into an UnmaskedArray if nothing is missing.
 * @throws {UnsupportedError} for unions of one kind and unions of unions, which awkward does not have, and for
 * categories of type Null, because no buffer would record their number.
 */
export function createRaggedForm(field: ArrowField): RaggedForm {
  let next = 0;
  return visit(field);

  function visit({ name, type, nullable, metadata }: ArrowField): RaggedForm {
    const key = `node${next++}`;
    switch (type.id) {
      case "Null":
        return { ...index(key), class: "IndexedOptionArray", categorical: false, content: empty() };
      case "Dictionary": {
        const option = nullable ? "IndexedOptionArray" : "IndexedArray";
        const content = visit(required("value", type.value));
        if (holdsNothing(content))
          throw new UnsupportedError(`${describeArrowType(type)}: categories that hold nothing`);
        return { ...index(key), class: option, categorical: true, content };
      }
      case "DenseUnion": {
        if (type.fields.length < 2) throw refused(type);
        // In awkward, either all children of a union are options or no child is.
        const anyNullable = type.fields.some(mayMiss);
        const contents = type.fields.map((one) => {
          if (one.type.id === "DenseUnion") throw refused(type);
          return visit({ ...one, nullable: anyNullable });
        });
        return { ...index(key), class: "UnionArray", contents };
      }
      default:
    }
    if (nullable) {
      const content = visit({ name, type, nullable: false, metadata });
      return { class: "BitMaskedArray", key, validWhen: true, lsbOrder: true, content };
    }
    switch (type.id) {
      case "Utf8":
        return { ...index(key), class: "ListOffsetArray", text: "string", content: bytes() };
      case "Binary":
        return { ...index(key), class: "ListOffsetArray", text: "bytestring", content: bytes() };
      case "FixedSizeBinary":
        return { class: "RegularArray", key, text: "bytestring", size: type.width, content: bytes() };
      case "List":
        return { ...index(key), class: "ListOffsetArray", text: null, content: visit(type.item) };
      case "FixedSizeList":
        return { class: "RegularArray", key, text: null, size: type.size, content: visit(type.item) };
      case "Struct": {
        const form = storedTypeOfStruct(type);
        if (form !== null) return { class: "NumpyArray", key, type: form, innerShape: [] };
        const contents = type.fields.map(visit);
        return { class: "RecordArray", key, fields: type.fields.map((one) => one.name), contents };
      }
      case "Bool":
      case "Int":
      case "Float":
      case "Date32":
      case "Timestamp":
      case "Duration":
        // The metadata of a dataframe column or of an array has no meaning within an awkward array.
        return { class: "NumpyArray", key, type: toWrittenForm(required(name, type)).type, innerShape: [] };
      default:
        return type satisfies never;
    }
  }

  function bytes(): RaggedForm {
    return { class: "NumpyArray", key: `node${next++}`, type: BYTE, innerShape: [] };
  }

  function empty(): RaggedForm {
    return { class: "EmptyArray", key: `node${next++}` };
  }
}

/** True if no buffer of the node determines the number of rows. */
function holdsNothing(form: RaggedForm): boolean {
  switch (form.class) {
    case "RegularArray":
      return form.size === 0 || holdsNothing(form.content);
    case "RecordArray":
      return form.contents.every(holdsNothing);
    case "BitMaskedArray":
      return holdsNothing(form.content);
    default:
      return false;
  }
}

/** True if values of the field can be null. The nulls of a union are in its children. */
function mayMiss({ type, nullable }: ArrowField): boolean {
  return nullable || type.id === "Null";
}

function storedTypeOfStruct(type: Extract<ArrowType, { id: "Struct" }>): StoredType | null {
  const names = type.fields.map((one) => one.name).join();
  if (names !== "real,imag") return null;
  const stored = toWrittenForm(required("", type)).type;
  return stored.kind === "complex" ? stored : null;
}

function required(name: string, type: ArrowType): ArrowField {
  return { name, type, nullable: false };
}

function index(key: string): { readonly key: string; readonly index: IntType } {
  return { key, index: INT64 };
}

function refused(type: ArrowType): UnsupportedError {
  return new UnsupportedError(
    `${describeArrowType(type)}: awkward arrays have unions of two kinds or more, none of them a union`,
  );
}

/** Writes a form as JSON. @param unmasked keys of the option nodes in which no value is missing. */
export function encodeFormJson(form: RaggedForm, unmasked: ReadonlySet<string> = new Set()): string {
  return encodePythonJson(node(form, {}, unmasked));
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

/** Writes JSON formatted like Python's `json.dumps`. */
function encodePythonJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(encodePythonJson).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).map(([key, one]) => `${ascii(key)}: ${encodePythonJson(one)}`);
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
