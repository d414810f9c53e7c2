/** What takes the values of one column, batch by batch, and writes them as one element. */

import type { Column } from "../../arrow/column.js";

export interface ColumnSink {
  write(column: Column): Promise<void>;
  /** Ends the element; nothing is written after it. */
  close(): Promise<void>;
}
