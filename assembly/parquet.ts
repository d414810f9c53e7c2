/**
 * The hot loops of the Parquet encoder over pages of at most 2^17 values. The caller writes a page to `input()`, calls
 * a function, and reads the place that the function names. Numbers are little-endian; a 64-bit value is two words, the
 * low one first.
 */

export { delta32, delta64, deltaRows } from "./parquet/delta";
export { entryCount, index, indexPage, reset } from "./parquet/dictionary";
export { hybrid16, hybrid32 } from "./parquet/hybrid";
export { entries, input, output, range, rowEnds } from "./parquet/memory";
export { range32, range64, rangeFloat32, rangeFloat64 } from "./parquet/ranges";
