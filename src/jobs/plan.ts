/**
 * What a reader makes of an element: which stored arrays it has and how they become rows. Legacy layouts are gone
 * here; every format describes its elements with these few shapes.
 */

import type { Form } from "../arrow/ragged/form.js";
import type { TextFallback } from "../arrow/text.js";
import type { ArrowField } from "../arrow/type.js";
import type { StoredArray } from "../containers/container.js";
import type { Layout, TableMetadata } from "../dataset.js";

/** How the values of one column are stored. */
export type ColumnPlan =
  | { readonly kind: "array"; readonly array: StoredArray }
  /** One field of a compound array. */
  | { readonly kind: "field"; readonly array: StoredArray; readonly field: number }
  | { readonly kind: "nullable"; readonly values: StoredArray; readonly mask: StoredArray | null }
  | {
      readonly kind: "categorical";
      readonly codes: Extract<ColumnPlan, { kind: "array" | "field" }>;
      readonly categories: ColumnPlan;
      readonly ordered: boolean;
    }
  | {
      readonly kind: "ragged";
      readonly form: Form;
      readonly length: number;
      readonly buffers: ReadonlyMap<string, StoredArray>;
    }
  | { readonly kind: "null" };

/** A compressed sparse matrix of `shape`; `order` says which axis is compressed ("row": CSR). */
export interface SparsePlan {
  readonly shape: readonly [rows: number, columns: number];
  readonly order: "row" | "column";
  readonly nnz: number;
  readonly data: StoredArray;
  readonly indices: StoredArray;
  readonly indptr: StoredArray;
}

/** Where a table's rows come from. */
export type RowsPlan =
  | { readonly kind: "columns"; readonly columns: readonly ColumnPlan[] }
  | { readonly kind: "coordinate"; readonly matrix: SparsePlan }
  | { readonly kind: "entries"; readonly matrix: SparsePlan }
  | { readonly kind: "scattered"; readonly matrix: SparsePlan }
  | { readonly kind: "nonzeros"; readonly array: StoredArray }
  | { readonly kind: "unstacked"; readonly array: StoredArray }
  /** The nodes of a mapping; the small ones among them with their values. */
  | { readonly kind: "nodes"; readonly nodes: readonly MappingNode[] };

/** A node below a mapping, as a row of the derived table. */
export interface MappingNode {
  readonly path: string;
  readonly kind: string;
  readonly type: string | null;
  readonly shape: readonly number[] | null;
  /** Read for the `value` column; null where the element is too large or not a single column. */
  readonly value: ColumnPlan | null;
}

/** One table: its schema as plain data, and where the rows come from. */
export interface TablePlan {
  readonly name: string;
  readonly fields: readonly ArrowField[];
  readonly metadata: TableMetadata;
  /** Further schema metadata, such as `pandas`. */
  readonly schemaMetadata: ReadonlyMap<string, string>;
  /** null where only a scan can tell. */
  readonly rows: number | null;
  readonly derived: boolean;
  readonly axis: "row" | "col" | null;
  readonly plan: RowsPlan;
  readonly text: TextFallback;
  /** Names of the columns in layout "columns"; positions where absent. */
  readonly columnNames: (() => Promise<readonly string[]>) | null;
}

export type { Layout };
