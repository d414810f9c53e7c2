/** Puts the matrices of one name together: sparse, dense, or both. */

import { typeText } from "../arrow/type.js";
import { InvalidInputError } from "../model/errors.js";
import type { ColumnTable } from "../tables/column-table.js";
import { commonNumericType, FLOAT64, isNumericType, type NumericType } from "./common-type.js";
import { besideEachOther } from "./dense-columns.js";
import { chained, concatDense, innerDimensions } from "./dense-matrices.js";
import { commonType, denseForm, isSparse, lacksPositions, type MatrixPart, valueType } from "./matrix-part.js";
import { concatSparse } from "./sparse-matrices.js";
import { concatStructured } from "./structured-matrices.js";

export interface MatrixOptions {
  readonly name: string;
  /** The dimension along which the matrices follow each other. */
  readonly along: 0 | 1;
  /** Length of the other dimension. */
  readonly across: number;
  /** `blocks`: blocks along the diagonal of a sparse matrix. */
  readonly form: "any" | "blocks";
  readonly fillValue: number | null;
  readonly lossy: boolean;
  readonly warn: (text: string) => void;
}

const BOOL: NumericType = { id: "Bool" };
const INT64: NumericType = { id: "Int", bits: 64, signed: true };

/**
 * Puts the matrices of all parts together. At least one part has a table.
 * @throws {InvalidInputError} for values that are no numbers, and for integers without a value to fill them with.
 */
export async function concatMatrix(parts: readonly MatrixPart[], options: MatrixOptions): Promise<ColumnTable> {
  const tables = parts.flatMap(({ table }) => (table === null ? [] : [table]));
  if (options.form === "blocks" || tables.some(isSparse)) return sparseMatrix(parts, options);
  const dense: MatrixPart[] = [];
  for (const part of parts) {
    const table = part.table === null ? null : await denseForm(part.table);
    if (part.table !== null && table === null) return otherElement(parts, options);
    dense.push({ ...part, table });
  }
  const isNumbers = dense.every(({ table }) => table === null || isNumericType(valueType(table)));
  return isNumbers ? denseMatrix(dense, options) : otherElement(dense, options);
}

function sparseMatrix(parts: readonly MatrixPart[], options: MatrixOptions): ColumnTable {
  const { name, across, fillValue, form, warn } = options;
  const fill = form === "blocks" ? 0 : (fillValue ?? 0);
  const lacking = parts.filter((part) => lacksPositions(part, across));
  // scipy makes float64 of a matrix without columns, which anndata fills missing ones with.
  const isEmpty = ({ table, across: own }: MatrixPart) => table === null || (own === 0 && across > 0);
  const isFilled = fill === 0 ? parts.some(isEmpty) : lacking.length > 0;
  const filler = form === "blocks" ? BOOL : fill === 0 ? FLOAT64 : typeOfFill(fill);
  const type = commonType(parts, isFilled ? [filler] : [], name);
  report(parts, type, options);
  if (form === "any" && lacking.length > 0) {
    warn(`${name}: filled with ${fill} in ${lacking.length} of ${parts.length} datasets`);
  }
  return concatSparse(parts, { ...options, type, fill });
}

/** The type that numpy has for a value which is filled in. */
function typeOfFill(fill: number): NumericType {
  return Number.isInteger(fill) ? INT64 : FLOAT64;
}

function denseMatrix(parts: readonly MatrixPart[], options: MatrixOptions): ColumnTable {
  const { name, across, along, fillValue, warn } = options;
  const fill = fillValue ?? Number.NaN;
  const fillType = typeOfFill(fill);
  const lacking = parts.filter((part) => lacksPositions(part, across));
  const types = parts.map((part): NumericType => {
    const own = part.table === null ? fillType : valueType(part.table);
    if (!isNumericType(own)) throw new TypeError("numbers expected");
    return lacking.includes(part) ? commonNumericType([own, fillType]) : own;
  });
  const type = commonNumericType(types);
  report(parts, type, options);
  if (lacking.length > 0) warn(`${name}: filled with ${fill} in ${lacking.length} of ${parts.length} datasets`);
  const inner = innerOf(parts, name);
  // Integers have no NaN; where no position lacks a value, none is filled.
  const result = { ...options, type, fill: lacking.length === 0 ? 0 : fill, inner };
  return along === 0 ? concatDense(parts, result) : besideEachOther(parts, result);
}

/** @throws {InvalidInputError} where the matrices differ in further dimensions. */
function innerOf(parts: readonly MatrixPart[], element: string): readonly number[] {
  let first: readonly number[] | null = null;
  for (const { table, source } of parts) {
    if (table === null) continue;
    const inner = innerDimensions(table);
    first ??= inner;
    if (inner.join() === first.join()) continue;
    throw new InvalidInputError(`values of the shape ${JSON.stringify(inner)}, others have ${JSON.stringify(first)}`, {
      source,
      element,
    });
  }
  return first ?? [];
}

/**
 * Puts elements of other types together, which have one type and all positions of the other axis.
 * @throws {InvalidInputError} for elements that differ in type, or lack positions: nothing can fill these.
 */
function otherElement(parts: readonly MatrixPart[], options: MatrixOptions): ColumnTable {
  const { name, across, along } = options;
  const structured = along === 0 ? concatStructured(parts, options) : null;
  if (structured !== null) return structured;
  const there = parts.flatMap(({ table, source }) => (table === null ? [] : [{ table, source }]));
  const chain = chained(name, there);
  const type = chain.fields.map((one) => typeText(one.type)).join(", ");
  if (along === 1) {
    throw new InvalidInputError(`values of the type ${type} are not put beside each other`, {
      source: parts[0].source,
      element: name,
    });
  }
  for (const { table, places, source } of parts) {
    if (table !== null && places === null) continue;
    const lacks = table === null ? "is missing here" : `does not have ${across} columns in their order here`;
    throw new InvalidInputError(`${lacks}, and nothing can fill values of the type ${type}`, { source, element: name });
  }
  return chain;
}

function report(parts: readonly MatrixPart[], type: NumericType, { name, warn }: MatrixOptions): void {
  const from = [...new Set(parts.flatMap(({ table }) => (table === null ? [] : [typeText(valueType(table))])))];
  const others = from.filter((one) => one !== typeText(type));
  if (others.length > 0) warn(`${name}: becomes ${typeText(type)}, from ${from.join(" and ")}`);
}
