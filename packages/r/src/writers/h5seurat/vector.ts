/**
 * Writes columns as R vectors: integers and doubles in which one value is NA, logicals as 0, 1 and 2, and factors as
 * groups of `levels` and `values`.
 */

import type { Column } from "annarrow/core/arrow";
import {
  type ArrowField,
  decodeTextValues,
  describeArrowType,
  encodeJsonValue,
  encodeStoredTexts,
  toCategoricalCodes,
  toStoredValues,
  toWrittenForm,
  UnifiedDictionary,
} from "annarrow/core/arrow";
import type { GroupWriter, WrittenAttributes } from "annarrow/core/containers";
import { NA_INTEGER } from "annarrow/core/kernels";
import type { NumberArray, StoredType } from "annarrow/core/model";
import { UnsupportedElementError } from "annarrow/core/model";
import type { ColumnSink } from "annarrow/core/writers";
import { createTextsAttribute, reportLoss, TEXT, type WriterContext } from "annarrow/core/writers";
import { createTextAttribute } from "annarrow/format";
import { toIntegers, toLogicals, toNumberArray, toReals, withMissingReals } from "../r-values.js";
import { FLOAT64, INT32, toHdf5Text, writeArray } from "./context.js";

export interface VectorDestination {
  readonly cx: WriterContext;
  readonly parent: GroupWriter;
  readonly name: string;
  /** Name of the vector in errors. */
  readonly element: string;
  /** Number of values; null if it is unknown before the last batch. */
  readonly rows: number | null;
}

/**
 * Opens a vector.
 * @throws {UnsupportedElementError} for types that R vectors in h5Seurat do not support.
 */
export function openVector(place: VectorDestination, field: ArrowField): Promise<ColumnSink> {
  const { type, nullable, metadata } = field;
  switch (type.id) {
    case "Bool":
    case "Null":
      // SeuratDisk stores NA as 2.
      return openNumbers(place, INT32, (column) => toLogicals(column, 2), LOGICAL);
    case "Utf8":
      return openTexts(place);
    case "Dictionary":
      return openFactor(place, field);
    case "Int": {
      const isNarrow = type.bits < 32 || (type.bits === 32 && type.signed);
      if (isNarrow) return openNumbers(place, INT32, createIntegers(place));
      // R reads 64-bit integers unchanged. They have no NA.
      const isExact = type.bits === 64 && type.signed && !(nullable && metadata?.kind === "nullable-integer");
      if (isExact) return openNumbers(place, toWrittenForm({ ...field, metadata: {} }).type, wholeNumbers);
      return openNumbers(place, FLOAT64, createReals(place));
    }
    case "Float":
      if (type.bits === 32 && !nullable) return openNumbers(place, { kind: "float", bits: 32 }, wholeNumbers);
      return openNumbers(place, FLOAT64, createReals(place));
    default:
      throw new UnsupportedElementError(`${describeArrowType(type)}, for which h5Seurat has no form`, {
        element: place.element,
      });
  }
}

/** Whether values of this type are logicals in R. */
export function isLogicalType({ type }: ArrowField): boolean {
  return type.id === "Bool" || type.id === "Null";
}

const LOGICAL: WrittenAttributes = new Map([["s3class", createTextAttribute("logical")]]);

async function openNumbers(
  { parent, name, rows }: VectorDestination,
  type: StoredType,
  values: (column: Column) => NumberArray,
  attributes: WrittenAttributes = new Map(),
): Promise<ColumnSink> {
  const array = await parent.array(name, { type, shape: [rows], attributes });
  return {
    async write(column) {
      if (column.length > 0) await array.write({ kind: "fixed", values: values(column) }, column.length);
    },
    close: () => array.close(),
  };
}

/** @throws {UnsupportedElementError} for a missing value. */
function wholeNumbers(column: Column): NumberArray {
  if (column.validity !== null && column.validity.nullCount > 0) {
    throw new UnsupportedElementError(
      "missing values among integers of 64 bits, for which R has no NA: cast them to int32 or double",
    );
  }
  return toNumberArray(column);
}

/** Returns a conversion to integers, with NA for nulls. */
function createIntegers({ element }: VectorDestination): (column: Column) => Int32Array {
  const problem = `${NA_INTEGER}, which is NA in R: cast the column to int64 or double`;
  return (column) => toIntegers(column, () => new UnsupportedElementError(problem, { element }));
}

/** Returns a conversion to doubles, with NA for nulls. */
function createReals({ element }: VectorDestination): (column: Column) => Float64Array {
  const toReal = (value: bigint) => {
    const real = Number(value);
    if (BigInt(real) === value) return real;
    throw new UnsupportedElementError(`${value}, which R's doubles do not hold`, { element });
  };
  return (column) => withMissingReals(toReals(column, toReal), column);
}

async function openTexts(place: VectorDestination): Promise<ColumnSink> {
  const { cx, element, parent, name, rows } = place;
  const array = await parent.array(name, { type: TEXT, shape: [rows] });
  return {
    async write(column) {
      if (column.length === 0 || column.layout !== "variable") return;
      await array.write(toHdf5Text(textsOf(column, element, cx), element, cx), column.length);
    },
    close: () => array.close(),
  };
}

function textsOf(column: Column & { layout: "variable" }, element: string, cx: WriterContext) {
  if (column.validity === null || column.validity.nullCount === 0) {
    return toStoredValues({ type: TEXT, shape: [] }, column);
  }
  reportLoss(cx, element, {
    problem: "missing text, for which h5Seurat has no form",
    instead: 'it is written as "NA", as SeuratDisk does',
    remedy: "make it categorical, since factors have missing values",
  });
  return encodeStoredTexts(decodeTextValues(column).map((text) => text ?? "NA"));
}

async function openFactor(
  { cx, parent, name, element, rows }: VectorDestination,
  field: ArrowField,
): Promise<ColumnSink> {
  const { type } = field;
  if (type.id !== "Dictionary") throw new TypeError("a factor is a dictionary");
  const own = type.ordered ? new Map([["s3class", createTextsAttribute(["ordered", "factor"])]]) : new Map();
  if (type.ordered) cx.warn(`${element}: SeuratDisk reads its levels without their order`);
  if (type.value.id !== "Utf8")
    cx.warn(`${element}: its categories are ${describeArrowType(type.value)}; levels are text`);
  const group = await parent.group(name, own);
  const values = await group.array("values", { type: INT32, shape: [rows] });
  const categories = new UnifiedDictionary();
  return {
    async write(column) {
      if (column.layout !== "dictionary") throw new TypeError("a factor is a dictionary");
      const codes = toCategoricalCodes(column, categories, INT32);
      const own = Int32Array.from(codes.values, Number).map((code) => (code < 0 ? NA_INTEGER : code + 1));
      if (own.length > 0) await values.write({ kind: "fixed", values: own }, own.length);
    },
    async close() {
      await values.close();
      const levels = categories.parts.flatMap((part) =>
        Array.from({ length: part.length }, (_, i) => levelOf(part, i)),
      );
      await writeArray(group, "levels", TEXT, toHdf5Text(encodeStoredTexts(levels), element, cx), levels.length);
    },
  };
}

function levelOf(part: Column, at: number): string {
  const json = encodeJsonValue(part, at);
  return json.startsWith('"') ? String(JSON.parse(json)) : json;
}
