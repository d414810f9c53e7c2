/** The MATLAB reader, as the table of formats wants it. */

import type { Reader } from "../reader.js";
import { readerOf } from "../reader-of.js";
import { readMatlab } from "./read.js";

export const matlabReader: Reader = readerOf(readMatlab);
