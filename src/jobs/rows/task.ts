/** What is to be made of a table's rows: plain data, once its arrays are. Jobs are row ranges of a task. */

import type { TextFallback } from "../../arrow/text.js";
import type { ArrowField } from "../../arrow/type.js";
import type { StoredArray } from "../../containers/tree/container.js";
import type { RowsPlan } from "../plan/plan.js";
import type { Product } from "./product.js";

export interface Task<A = StoredArray> {
  readonly rows: RowsPlan<A>;
  /** Of the whole table; `selected` says which ones are wanted, in this order. */
  readonly fields: readonly ArrowField[];
  readonly selected: readonly number[];
  readonly text: TextFallback;
  readonly product: Product;
  /** What of the columns may be stored nowhere in the file; absent where any number of values may. */
  readonly unwritten?: UnwrittenLimit;
}

export interface UnwrittenLimit {
  /** Bytes of values that the file declares and stores nowhere. */
  readonly most: number;
  /** The columns that are counted, by their places among the fields. */
  readonly fields: readonly number[];
}

/** Table rows [start, end) of one job. */
export type JobRows = readonly [start: number, end: number];
