/** The reader of feature-barcode matrices, as the table of formats wants it. */

import type { Reader } from "../reader.js";
import { readerOf } from "../reader-of.js";
import { readCellRanger } from "./read.js";

export const cellRangerReader: Reader = readerOf(readCellRanger);
