/** What a matrix has beside its entries: version, shape, storage order and names. */

import { storedTexts } from "../../arrow/text.js";
import type { GroupWriter } from "../../containers/tree/container-writer.js";
import { located } from "../../model/errors.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { pathIn, TEXT, textAttribute, UINT32 } from "./array-types.js";
import { writeNames } from "./axis-names.js";
import type { BpcellsWriterContext } from "./context.js";

export interface MatrixAxes {
  readonly version: string;
  readonly shape: readonly [rows: number, columns: number];
  readonly order: "row" | "column";
  readonly rowNames: ColumnTable | null;
  readonly colNames: ColumnTable | null;
}

/** Writes it as arrays: `shape`, `storage_order`, `row_names` and `col_names`. */
export async function writeAxes(group: GroupWriter, axes: MatrixAxes, cx: BpcellsWriterContext): Promise<void> {
  const { version, shape, order, rowNames, colNames } = axes;
  group.attribute("version", textAttribute(version));
  await located({ element: pathIn(group, "shape") }, async () => {
    const array = await group.array("shape", { type: UINT32, shape: [2] });
    await array.write({ kind: "fixed", values: Uint32Array.from(shape) }, 2);
    await array.close();
  });
  await located({ element: pathIn(group, "storage_order") }, async () => {
    const array = await group.array("storage_order", { type: TEXT, shape: [1], compressed: false });
    await array.write(storedTexts([order === "row" ? "row" : "col"]), 1);
    await array.close();
  });
  await writeNames(group, "row_names", rowNames, shape[0], cx);
  await writeNames(group, "col_names", colNames, shape[1], cx);
}
