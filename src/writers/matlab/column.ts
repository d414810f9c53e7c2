/** Writes columns that were not read from MATLAB as MATLAB values, with one row per table row. */

import { toCategoricalCodes, UnifiedDictionary } from "../../arrow/categorical.js";
import type { Column } from "../../arrow/column.js";
import { type ArrowField, type ArrowType, describeArrowType } from "../../arrow/type.js";
import { toWrittenForm, type WrittenType } from "../../arrow/written-type.js";
import { toStoredValues } from "../../arrow/written-values.js";
import { convertIndices, getMaxInteger } from "../../kernels/sparse/convert-indices.js";
import { decodeFloat16 } from "../../kernels/values/number-bits.js";
import { runWithLocation, UnsupportedElementError, UnsupportedError } from "../../model/errors.js";
import type { IntType, NumberArray, StoredType } from "../../model/stored.js";
import { type ColumnSink, writeColumnParts } from "../column-sink.js";
import { createMatlabAttributes, createPythonArray, writeEmptyValue } from "./attributes.js";
import type { ValueDestination, ValueGroup } from "./context.js";
import { ElementWriter, isElementType } from "./elements.js";
import { type MatlabMetadata, NO_METADATA } from "./metadata.js";
import { createNumericSink, type NumericLayout, type NumericSink } from "./numeric.js";
import { RaggedColumn, type RaggedDescription } from "./ragged-column.js";
import { openStruct } from "./struct.js";

/** Sink that returns a description of Awkward Array buffers, which cannot be read back without it. */
type MatlabColumnSink = ColumnSink<RaggedDescription | undefined>;

/** Returns the field with the type in which it is written, because MATLAB has no half floats. */
export function toMatlabField(field: ArrowField): ArrowField {
  const type = withoutHalf(field.type);
  return type === field.type ? field : { ...field, type };
}

function withoutHalf(type: ArrowType): ArrowType {
  if (type.id === "Float" && type.bits === 16) return { id: "Float", bits: 32 };
  if (type.id !== "FixedSizeList") return type;
  const item = withoutHalf(type.item.type);
  return item === type.item.type ? type : { ...type, item: { ...type.item, type: item } };
}

/** Whether the values are an array of numbers, or texts. Neither needs a description. */
export function isArrayOrText(type: ArrowType): boolean {
  return type.id === "Utf8" || isNumeric(type);
}

function isNumeric(type: ArrowType): boolean {
  if (type.id === "FixedSizeList") return isNumeric(type.item.type);
  return (
    type.id === "Bool" || type.id === "Int" || type.id === "Float" || (type.id === "Struct" && isElementType(type))
  );
}

/**
 * Opens the sink for a column.
 * @param rows number of rows, required for matrices; null if it is known only at the end.
 * @param own the value's attributes.
 * @throws {UnsupportedError} for types that MATLAB files do not support.
 */
export async function openColumn(
  place: ValueDestination,
  field: ArrowField,
  rows: number | null,
  own: MatlabMetadata = NO_METADATA,
): Promise<MatlabColumnSink> {
  const { type } = field;
  if (isNumeric(type)) return openNumbers(place, field, rows, own);
  switch (type.id) {
    case "Utf8":
    case "Binary":
      return new CellColumn(place, field, own);
    case "List":
      if (isElementType(type)) return new CellColumn(place, field, own);
      return await RaggedColumn.open(place, field);
    case "FixedSizeList":
    case "Struct":
    case "DenseUnion":
      return await RaggedColumn.open(place, field);
    case "Date32":
    case "Timestamp":
    case "Duration":
      return new NumericColumn(place, { type: INT64, rows }, toTicks);
    case "FixedSizeBinary": {
      const form: WrittenType = { type: { kind: "bytes", width: type.width }, shape: [] };
      const toBytes = (column: Column) => toFixedNumbers(form, column);
      return new NumericColumn(place, { type: UINT8, rows, rowShape: [type.width] }, toBytes);
    }
    case "Dictionary":
      return CategoricalColumn.open(place, type, rows);
    case "Null":
      // Missing values are NaN.
      return new NumericColumn(place, { type: FLOAT64, rows }, ({ length }) =>
        new Float64Array(length).fill(Number.NaN),
      );
    default:
      throw new TypeError(`numbers of type ${describeArrowType(type)}`);
  }
}

/** Converts columns to numbers, and writes them as whole rows. */
class NumericColumn implements MatlabColumnSink {
  readonly #sink: NumericSink;
  readonly #toNumbers: (column: Column) => NumberArray;

  /** @param form the numbers' type and shape, without attributes by default. */
  constructor(
    place: ValueDestination,
    form: Pick<NumericLayout, "type" | "rows"> & Partial<NumericLayout>,
    toNumbers: (column: Column) => NumberArray,
  ) {
    this.#sink = createNumericSink(place, { rowShape: [], isRow: false, metadata: NO_METADATA, ...form });
    this.#toNumbers = toNumbers;
  }

  async write(column: Column): Promise<void> {
    await this.#sink.write(this.#toNumbers(column), column.length);
  }

  async close(): Promise<undefined> {
    await this.#sink.close();
  }
}

function openNumbers(
  place: ValueDestination,
  field: ArrowField,
  rows: number | null,
  metadata: MatlabMetadata,
): NumericColumn {
  const given = toWrittenForm(field, {});
  const { type } = toWrittenForm(toMatlabField(field), {});
  return new NumericColumn(place, { type, rows, rowShape: given.shape, metadata }, (column) => {
    checkLists(column, place.element);
    const values = toFixedNumbers(given, column);
    return given.type.kind === "float" && given.type.bits === 16 ? halves(values) : values;
  });
}

/** Converts a column to numbers. Missing values become zeros or NaN. */
function toFixedNumbers(form: WrittenType, column: Column): NumberArray {
  const values = toStoredValues(form, column, "fill");
  if (values.kind !== "fixed") throw new TypeError("numbers are of fixed width");
  return values.values;
}

function halves(values: NumberArray): Float32Array {
  return Float32Array.from(values, (bits: number | bigint) => decodeFloat16(Number(bits)));
}

/**
 * Checks that no value in a list is missing.
 * @throws {InvalidInputError} for a missing value.
 */
function checkLists(column: Column, element: string): void {
  if (column.layout !== "fixed-size-list") return;
  let inner: Column = column.child;
  while (inner.layout === "fixed-size-list") inner = inner.child;
  if ((inner.validity?.nullCount ?? 0) === 0) return;
  throw new UnsupportedElementError(
    "missing values within lists that are read once: give it as a table, or fill them first",
    {
      element,
    },
  );
}

class CellColumn implements MatlabColumnSink {
  readonly #place: ValueDestination;
  readonly #metadata: MatlabMetadata;
  readonly #elements: ElementWriter;

  constructor(place: ValueDestination, field: ArrowField, metadata: MatlabMetadata) {
    this.#place = place;
    this.#metadata = metadata;
    // A mask beside the column marks the missing values, which are filled with a default here.
    this.#elements = new ElementWriter(place, field, NO_METADATA, "fill");
  }

  async write(column: Column): Promise<void> {
    if (column.layout === "list") checkItems(column, this.#place.element);
    await this.#elements.add(column.layout === "variable" ? { ...column, ...textsOf(column) } : column);
  }

  async close(): Promise<undefined> {
    const { references } = this.#elements;
    const { length } = references;
    const value = { class: "cell", ...createPythonArray(this.#place.cx, "object", [length]) };
    if (length === 0) await writeEmptyValue(this.#place, [0, 1], this.#metadata, value);
    else await references.write(this.#place, [length, 1], createMatlabAttributes(this.#place, this.#metadata, value));
  }
}

function isNested({ id }: ArrowType): boolean {
  return id === "List" || id === "FixedSizeList" || id === "Struct" || id === "DenseUnion" || id === "Dictionary";
}

/** Converts texts. A missing text becomes empty. */
function textsOf(column: Extract<Column, { layout: "variable" }>) {
  if (column.validity === null) return {};
  const values = toStoredValues({ type: { kind: "bytes", width: null }, shape: [] }, column, "fill");
  if (values.kind !== "variable") throw new TypeError("texts are of variable width");
  return { offsets: values.offsets, bytes: values.bytes, validity: null };
}

function checkItems({ child }: Extract<Column, { layout: "list" }>, element: string): void {
  if ((child.validity?.nullCount ?? 0) === 0) return;
  throw new UnsupportedElementError(
    "missing values within lists that are read once: give it as a table, or fill them first",
    {
      element,
    },
  );
}

/** Converts times to integers in their unit. */
function toTicks(column: Column): NumberArray {
  if (column.layout !== "primitive") throw new TypeError("times are numbers");
  const type = { id: "Int", bits: 64, signed: true } as const;
  const ticks = column.type.id === "Date32" ? BigInt64Array.from(column.values, BigInt) : column.values;
  return toFixedNumbers({ type: INT64, shape: [] }, { ...column, type, values: ticks });
}

const INT64: IntType = { kind: "int", bits: 64, signed: true };
const UINT8: IntType = { kind: "int", bits: 8, signed: false };
const FLOAT64: StoredType = { kind: "float", bits: 64 };

const WIDER = { 8: 16, 16: 32, 32: 64 } as const;

/**
 * Writes a dictionary as a struct of `categories` and `codes`. Codes start at 1 like MATLAB's indices, and are 0 for
 * missing values.
 */
class CategoricalColumn implements MatlabColumnSink {
  readonly #struct: ValueGroup;
  readonly #type: Extract<ArrowType, { id: "Dictionary" }>;
  readonly #codes: NumericSink;
  readonly #codesType: IntType;
  readonly #categories = new UnifiedDictionary();

  private constructor(struct: ValueGroup, type: Extract<ArrowType, { id: "Dictionary" }>, rows: number | null) {
    this.#struct = struct;
    this.#type = type;
    // Codes that start at 1 may exceed the maximum of the index type by one.
    const bits = type.index.signed ? type.index.bits : WIDER[type.index.bits];
    this.#codesType = { kind: "int", bits, signed: false };
    this.#codes = createNumericSink(struct.field("codes"), {
      type: this.#codesType,
      rows,
      rowShape: [],
      isRow: false,
      metadata: NO_METADATA,
    });
  }

  static async open(
    place: ValueDestination,
    type: Extract<ArrowType, { id: "Dictionary" }>,
    rows: number | null,
  ): Promise<CategoricalColumn> {
    if (isNested(type.value)) {
      throw new UnsupportedError(`categories of type ${describeArrowType(type.value)}, for which MATLAB has no form`, {
        element: place.element,
      });
    }
    return new CategoricalColumn(await openStruct(place, ["codes", "categories"], NO_METADATA), type, rows);
  }

  async write(column: Column): Promise<void> {
    if (column.layout !== "dictionary") throw new TypeError("a categorical is a dictionary");
    const { element } = this.#struct.place;
    const stored = await runWithLocation({ element }, async () =>
      toCategoricalCodes(column, this.#categories, { kind: "int", bits: 32, signed: true }),
    );
    if (stored.kind !== "fixed") throw new TypeError("codes are integers");
    if (this.#categories.length > getMaxInteger(this.#codesType)) {
      throw new UnsupportedElementError(
        `${this.#categories.length} categories, of which ${describeArrowType(this.#type.index)} is no index: cast the indices`,
        { element },
      );
    }
    const oneBased = Int32Array.from(stored.values, (code: number | bigint) => Number(code) + 1);
    await this.#codes.write(convertIndices(oneBased, this.#codesType), column.length);
  }

  async close(): Promise<undefined> {
    await this.#codes.close();
    const { value } = this.#type;
    const field: ArrowField = { name: "categories", type: value, nullable: false };
    const sink = await openColumn(this.#struct.field("categories"), field, this.#categories.length);
    await writeColumnParts(sink, this.#categories.parts);
  }
}
