/** What an element is once its encoding, of any age, has been understood. */

import type { ArrowField } from "../arrow/type.js";
import type { Group } from "../containers/tree/container.js";
import type { ColumnPlan, RowsPlan } from "../jobs/plan/plan.js";
import type { TableMetadata } from "../model/dataset.js";

export type Element = MappingElement | TableElement;

/** A mapping is no table: its children are elements of their own. */
export interface MappingElement {
  readonly kind: "mapping";
  readonly type: "dict" | "anndata" | "raw";
  readonly group: Group;
}

export interface TableElement {
  readonly kind: "table";
  readonly fields: readonly ArrowField[];
  readonly metadata: TableMetadata;
  readonly schemaMetadata?: ReadonlyMap<string, string>;
  readonly rows: number;
  readonly plan: RowsPlan;
  /** Length along the first axis of what the element annotates: rows of a frame, height of a matrix. */
  readonly shape: readonly number[];
}

/** A one-dimensional element that can be a column of a dataframe. */
export interface ColumnElement {
  readonly plan: ColumnPlan;
  /** What is needed to write it back; `kind` is the modern `encoding-type`. */
  readonly metadata: Readonly<Record<string, unknown>> & { readonly kind: string };
}

/** Stands for an element that is stored as null and counts as not there: X and raw since anndata 0.12. */
export const ABSENT: TableElement = {
  kind: "table",
  fields: [],
  metadata: { kind: "null" },
  rows: 0,
  plan: { kind: "columns", columns: [] },
  shape: [],
};
