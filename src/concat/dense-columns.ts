/** Puts dense matrices beside each other: the columns of one follow those of the other. */

import { UnsupportedError } from "../model/errors.js";
import type { ColumnTable } from "../tables/column-table.js";
import type { DenseResult } from "./dense-matrices.js";
import type { MatrixPart } from "./matrix-part.js";

export function besideEachOther(_parts: readonly MatrixPart[], { name }: DenseResult): ColumnTable {
  throw new UnsupportedError("dense matrices are not put beside each other yet", { element: name });
}
