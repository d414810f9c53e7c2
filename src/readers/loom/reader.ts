/** The Loom reader, as the table of formats wants it. */

import type { Reader } from "../reader.js";
import { readerOf } from "../reader-of.js";
import { readLoom } from "./read.js";

export const loomReader: Reader = readerOf(readLoom);
