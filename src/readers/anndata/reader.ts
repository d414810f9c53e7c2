/** The AnnData reader, as the table of formats wants it. */

import type { Reader } from "../reader.js";
import { readerOf } from "../reader-of.js";
import { readAnnData } from "./read.js";

export const anndataReader: Reader = readerOf((root, cx) => readAnnData(root, cx));
