/** Writes one-dimensional elements: columns of dataframes, categories, and separate elements. */

import { type Column, countColumnBytes, type DictionaryColumn } from "../../arrow/column.js";
import { type ArrowField, type ArrowType, describeArrowType } from "../../arrow/type.js";
import { toWrittenForm } from "../../arrow/written-type.js";
import { UnsupportedElementError, UnsupportedError } from "../../model/errors.js";
import { createEncodingAttributes, type EncodingType } from "../attributes.js";
import type { ColumnSink } from "../column-sink.js";
import { ArraySink, getElementEncoding, getElementPath, type SizedDestination } from "./array.js";
import { openAwkward } from "./awkward.js";
import { CategoricalSink, TEXT_DICTIONARY, TextCategoricalSink } from "./categorical.js";
import { findMissingText, findNullableEncoding, NullableSink } from "./nullable.js";
import { toSupportedColumn } from "./unsupported-types.js";

/**
 * Opens the element for a column. The encoding in the field's metadata is used if it still fits the type. Otherwise,
 * the type determines the encoding; for nullable columns, the values do.
 * @throws {UnsupportedError} for a type without an anndata encoding.
 */
export async function openColumn(place: SizedDestination, given: ArrowField): Promise<ColumnSink> {
  const element = getElementPath(place);
  const { field, change } = toSupportedColumn(given, element, place.cx);
  const sink = await openSupported(place, field);
  return field === given ? sink : { write: (column) => sink.write(change(column)), close: () => sink.close() };
}

async function openSupported(place: SizedDestination, field: ArrowField): Promise<ColumnSink> {
  const { type, metadata = {}, nullable } = field;
  if (metadata.kind === "awkward-array") return openAwkward(place, field);
  const encoding = findNullableEncoding(field);
  if (encoding !== null && metadata.kind === encoding) {
    return NullableSink.open(place, field, encoding, findMissingText(field));
  }
  switch (type.id) {
    case "Dictionary":
      if ("members" in metadata) return openArray(place, field, "array");
      if (metadata.kind === "categorical") return CategoricalSink.open(place, field, null, openColumn);
      return new DeferredSink(place, (held, whole, at) => openDictionary(at, field, held, whole));
    case "Bool":
      if ("members" in metadata) return openArray(place, field, "array");
      break;
    case "Null":
      return openMissing(place);
    case "Binary":
    case "List":
    case "DenseUnion":
      return openAwkward(place, field);
    case "FixedSizeBinary":
      return metadata.kind === undefined ? openAwkward(place, field) : openArray(place, field, null);
    case "Struct":
      return isComplex(type) ? openArray(place, field, "array") : openAwkward(place, field);
    case "FixedSizeList":
      return isArray(field) ? openArray(place, field, null) : openAwkward(place, field);
    default:
      break;
  }
  if (!nullable || encoding === null) return openArray(place, field, null);
  return new DeferredSink(place, (held, whole, at) => openPlain(at, field, held, whole));
}

function openArray(place: SizedDestination, field: ArrowField, tag: EncodingType | null): Promise<ColumnSink> {
  const form = toWrittenForm(field);
  return ArraySink.open(place, form, { attributes: createEncodingAttributes(tag ?? getElementEncoding(form.type)) });
}

/** Opens a nullable column of integers, booleans or text. It becomes a plain array if no value is missing. */
async function openPlain(
  place: SizedDestination,
  field: ArrowField,
  held: readonly Column[],
  whole: boolean,
): Promise<ColumnSink> {
  const encoding = findNullableEncoding(field);
  const missing = held.some((column) => column.validity !== null && column.validity.nullCount > 0);
  if (encoding === null || (!missing && whole)) return openArray(place, field, null);
  if (encoding !== "nullable-string-array") return NullableSink.open(place, field, encoding, null);
  if (place.cx.profile !== "portable") return NullableSink.open(place, field, encoding, "NA");
  // If text exceeds the memory and no value has been missing so far, no missing value is expected later.
  if (!missing) return complete(await openArray(place, field, null), getElementPath(place));
  const categorical = { ...field, type: TEXT_DICTIONARY };
  return new TextCategoricalSink(await CategoricalSink.open(place, categorical, null, openColumn));
}

/** Returns a sink that rejects missing values, because its array was created without a mask. */
function complete(sink: ColumnSink, element: string): ColumnSink {
  const write = async (column: Column) => {
    if (column.validity !== null && column.validity.nullCount > 0) {
      throw new UnsupportedElementError(
        "text is missing, behind more rows without such than are held: fill it, cast it to a dictionary, or write for anndata 0.13",
        { element },
      );
    }
    await sink.write(column);
  };
  return { write, close: () => sink.close() };
}

function openDictionary(
  place: SizedDestination,
  field: ArrowField,
  held: readonly Column[],
  whole: boolean,
): Promise<ColumnSink> {
  const { type } = field;
  if (type.id !== "Dictionary" || !isCategory(type.value)) {
    throw new UnsupportedError(
      `no form for the categories of ${describeArrowType(type)}; write the values themselves`,
      {
        element: getElementPath(place),
      },
    );
  }
  const columns = held.filter((column): column is DictionaryColumn => column.layout === "dictionary");
  return CategoricalSink.open(place, field, whole ? columns : null, openColumn);
}

function isCategory(type: ArrowType): boolean {
  return type.id === "Utf8" || type.id === "Int" || type.id === "Float" || type.id === "Bool" || type.id === "Null";
}

/** Opens a column of type Null as a categorical whose values are all missing. */
async function openMissing(place: SizedDestination): Promise<ColumnSink> {
  const field: ArrowField = { name: place.name, type: TEXT_DICTIONARY, nullable: true };
  const sink = await CategoricalSink.open(place, field, [], openColumn);
  const write = ({ length }: Column): Promise<void> =>
    sink.write({
      layout: "dictionary",
      type: TEXT_DICTIONARY,
      length,
      validity: { bitmap: new Uint8Array((length + 7) >>> 3), nullCount: length },
      indices: new Int32Array(length),
      dictionary: NO_TEXT,
    });
  return { write, close: () => sink.close() };
}

const NO_TEXT: Column = {
  layout: "variable",
  type: { id: "Utf8" },
  length: 0,
  validity: null,
  offsets: new Int32Array(1),
  bytes: new Uint8Array(0),
};

/** Whether fixed-size lists can be the rows of a single array. */
export function isArray({ type }: ArrowField): boolean {
  let inner = type;
  while (inner.id === "FixedSizeList") inner = inner.item.type;
  switch (inner.id) {
    case "Bool":
    case "Int":
    case "Float":
    case "Utf8":
    case "FixedSizeBinary":
    case "Timestamp":
    case "Duration":
      return true;
    case "Struct":
      return isComplex(inner);
    default:
      return false;
  }
}

/** Whether the records are complex numbers, with a real and an imaginary part that are floats of equal width. */
function isComplex({ fields }: Extract<ArrowType, { id: "Struct" }>): boolean {
  if (fields.map((one) => one.name).join() !== "real,imag") return false;
  const [real, imag] = fields.map((one) => one.type);
  return real.id === "Float" && imag.id === "Float" && real.bits === imag.bits && real.bits !== 16;
}

/**
 * Opens the sink for the columns that were held back.
 * @param whole whether these are all columns, so that no other comes later.
 */
export type OpenDeferred = (held: readonly Column[], whole: boolean, place: SizedDestination) => Promise<ColumnSink>;

class DeferredSink implements ColumnSink {
  readonly #place: SizedDestination;
  readonly #decide: OpenDeferred;
  #held: Column[] = [];
  #sink: ColumnSink | null = null;

  constructor(place: SizedDestination, decide: OpenDeferred) {
    this.#place = place;
    this.#decide = decide;
  }

  async write(column: Column): Promise<void> {
    if (this.#sink !== null) return this.#sink.write(column);
    this.#held.push(column);
    const bytes = countColumnBytes(column);
    if (this.#place.cx.columnMemory.take(bytes)) return;
    await this.#open(false);
  }

  async close(): Promise<void> {
    const sink = this.#sink ?? (await this.#open(true));
    await sink.close();
  }

  async #open(whole: boolean): Promise<ColumnSink> {
    const held = this.#held;
    const rows = whole ? held.reduce((sum, column) => sum + column.length, 0) : this.#place.rows;
    const sink = await this.#decide(held, whole, { ...this.#place, rows });
    this.#sink = sink;
    this.#held = [];
    for (const column of held) {
      await sink.write(column);
      this.#place.cx.columnMemory.release(countColumnBytes(column));
    }
    return sink;
  }
}
