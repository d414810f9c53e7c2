/** Reads the metadata that this library stored when it wrote a MATLAB value from an element. */

import type { ArrowType } from "../../../arrow/type.js";
import type { TableMetadata } from "../../../model/dataset.js";
import { isJsonObject } from "../../../model/json-object.js";
import type { ColumnTable } from "../../../tables/column-table.js";
import { type NarrowType, narrowTableValues } from "../../../tables/narrowed-values.js";
import { createRenamedTable } from "../view/renamed.js";

interface Origin {
  readonly metadata: TableMetadata;
  /** Type of a sparse matrix's values, or of an array's rows. */
  readonly type: Readonly<Record<string, unknown>>;
}

/**
 * Returns the recorded element; null for a value that was not written from an element in another format, or whose size
 * has changed since.
 */
export function getOrigin({ metadata, fields }: ColumnTable): Origin | null {
  const origin = metadata?.origin;
  if (!isJsonObject(origin) || !isJsonObject(origin.type) || !isMetadata(origin.metadata)) return null;
  if (fields.length > 1) return { metadata: origin.metadata, type: origin.type };
  const size = metadata?.shape;
  const { shape } = origin.metadata;
  if (size === undefined || !isShape(shape)) return { metadata: withoutShape(origin.metadata), type: origin.type };
  return product(shape) === product(size) ? { metadata: origin.metadata, type: origin.type } : null;
}

/** Returns the number of values per row of an array whose original metadata is stored; null for any other value. */
export function findRowWidth({ type }: Origin): number | null {
  return type.id === "FixedSizeList" && typeof type.size === "number" ? type.size : null;
}

/** Converts a sparse matrix to the element `name`, with its original value type; null for any other table. */
export function toSparseElement(table: ColumnTable, name: string): ColumnTable | null {
  const { metadata, fields } = table;
  if (metadata?.kind !== "csc_matrix" || metadata.shape === undefined) return null;
  const origin = getOrigin(table);
  const value = fields.find((field) => field.name === "value");
  const type = origin === null ? null : narrowType(origin.type);
  const isNarrow = type !== null && value !== undefined && isDouble(value.type);
  // The stored order takes precedence over the recorded order.
  const own = { ...origin?.metadata, kind: "csc_matrix", shape: metadata.shape, order: "column" };
  return createRenamedTable(isNarrow ? narrowTableValues(table, type) : table, name, own);
}

const BITS = [8, 16, 32, 64] as const;

function narrowType({ id, bits, signed }: Origin["type"]): NarrowType | null {
  if (id === "Float") return bits === 32 ? { id, bits } : null;
  const known = BITS.find((one) => one === bits);
  return id === "Int" && known !== undefined && typeof signed === "boolean" ? { id, bits: known, signed } : null;
}

function isDouble(type: ArrowType): boolean {
  return type.id === "Float" && type.bits === 64;
}

function withoutShape({ shape: _, ...metadata }: TableMetadata): TableMetadata {
  return metadata;
}

function product(lengths: readonly number[]): number {
  return lengths.reduce((all, length) => all * length, 1);
}

function isShape(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((one) => Number.isSafeInteger(one) && one >= 0);
}

function isMetadata(value: unknown): value is TableMetadata {
  return isJsonObject(value) && typeof value.kind === "string";
}
