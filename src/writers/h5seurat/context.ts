/** Shared by the writers of all parts: the context, attributes as SeuratDisk writes them, and the writer of matrices. */

import { cutTextsAtNul } from "../../arrow/text.js";
import type { GroupWriter, WrittenAttribute } from "../../containers/tree/container-writer.js";
import type { IntType, StoredType, StoredValues } from "../../model/stored.js";
import type { ColumnTable } from "../../tables/column-table.js";
import type { MatrixLayout } from "../../tables/sparse/list-counts.js";
import { reportLoss, type WriterContext } from "../context.js";

export const INT32: IntType = { kind: "int", bits: 32, signed: true };
export const FLOAT64 = { kind: "float", bits: 64 } as const satisfies StoredType;

/** Writes a sparse matrix as a group of `data`, `indices` and `indptr`. @returns the number of entries. */
export type WriteSparse = (
  place: SparseDestination,
  table: ColumnTable,
  form: Pick<MatrixLayout, "shape" | "order" | "axes">,
) => Promise<number>;

export interface SparseDestination {
  readonly parent: GroupWriter;
  readonly name: string;
  /** Shape of the matrix in R. */
  readonly dims: readonly [number, number];
  readonly attributes: ReadonlyMap<string, WrittenAttribute>;
}

export interface H5SeuratWriterContext extends WriterContext {
  readonly writeSparse: WriteSparse;
}

export function createIntegersAttribute(values: readonly number[]): WrittenAttribute {
  return { type: INT32, shape: [values.length], values: { kind: "fixed", values: Int32Array.from(values) } };
}

/** Converts text for HDF5, where it ends at a NUL. @throws {InvalidInputError} for a NUL, unless losses are allowed. */
export function toHdf5Text(values: StoredValues, element: string, cx: WriterContext): StoredValues {
  if (values.kind !== "variable" || values.bytes.indexOf(0) < 0) return values;
  reportLoss(cx, element, {
    problem: "text with a NUL, at which text ends in HDF5",
    instead: "it is written up to there",
    remedy: "take the NULs out",
  });
  return cutTextsAtNul(values);
}

export async function writeArray(
  parent: GroupWriter,
  name: string,
  type: StoredType,
  values: StoredValues,
  rows: number,
  attributes: ReadonlyMap<string, WrittenAttribute> = new Map(),
): Promise<void> {
  const array = await parent.array(name, { type, shape: [rows], attributes });
  if (rows > 0) await array.write(values, rows);
  await array.close();
}
