/** The form of a column that never was an awkward array: as awkward's `from_arrow` and `to_packed` make it. */

import { UnsupportedError } from "../../model/errors.js";
import type { IntType, StoredType } from "../../model/stored.js";
import { type ArrowField, type ArrowType, typeText } from "../type.js";
import { storedTypeOf } from "../written-type.js";
import type { RaggedForm } from "./form.js";

const INT64: IntType = { kind: "int", bits: 64, signed: true };
const BYTE: StoredType = { kind: "int", bits: 8, signed: false };

/**
 * The form of `field`; nodes are numbered in pre-order. A nullable field is a BitMaskedArray, which turns into an
 * UnmaskedArray where nothing is missing.
 * @throws {UnsupportedError} for what awkward does not have: unions of one kind or of unions; and for categories that
 * hold nothing, of which no buffer would tell the number.
 */
export function formOf(field: ArrowField): RaggedForm {
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
        if (holdsNothing(content)) throw new UnsupportedError(`${typeText(type)}: categories that hold nothing`);
        return { ...index(key), class: option, categorical: true, content };
      }
      case "DenseUnion": {
        if (type.fields.length < 2) throw refused(type);
        // Awkward has options in all kinds of a union, or in none.
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
      const content = visit({ name, type, nullable: false, ...(metadata ? { metadata } : {}) });
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
      case "Timestamp":
      case "Duration":
        // What a dataframe or an array remembers of a column is of no use within an awkward array.
        return { class: "NumpyArray", key, type: storedTypeOf(required(name, type)).type, innerShape: [] };
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

/** Whether no buffer tells how many rows there are. */
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

/** A union has no nulls but in its kinds; what is Null has nothing else. */
function mayMiss({ type, nullable }: ArrowField): boolean {
  return nullable || type.id === "Null";
}

function storedTypeOfStruct(type: Extract<ArrowType, { id: "Struct" }>): StoredType | null {
  const names = type.fields.map((one) => one.name).join();
  if (names !== "real,imag") return null;
  const stored = storedTypeOf(required("", type)).type;
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
    `${typeText(type)}: awkward arrays have unions of two kinds or more, none of them a union`,
  );
}
