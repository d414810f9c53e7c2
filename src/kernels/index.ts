/** The API of `kernels/` for packages: `annarrow/core/kernels`. */

export { countChunks } from "./bp128/page.js";
export { combineCrc32 } from "./checksums/crc32-combine.js";
export { createStreamDecoder } from "./codecs/bounds/steps.js";
export { decodeBz2InSteps } from "./codecs/bz2.js";
export { createGunzipReader } from "./codecs/deflate/gunzip.js";
export { decodeXzInSteps } from "./codecs/xz.js";
export { transposeRows } from "./dense/transpose-rows.js";
export { convertIndices } from "./sparse/convert-indices.js";
export { findUnsortedEntry } from "./sparse/entry-order.js";
export { findOutOfRangeIndex, loadIndexKernels, narrowWithin, shiftToInt64 } from "./sparse/indices.js";
export { convertPointersToNumbers, findLastPointerAtMost, findPointerDecrease } from "./sparse/indptr.js";
export { createPositionMap } from "./sparse/minor-map.js";
export { sortLists } from "./sparse/sort-lists.js";
export { computeStableOrder, OrderScratch } from "./sparse/stable-order.js";
export { compareByCodePoint, makeDistinctNames } from "./text/names.js";
export { convertLatin1ToUtf8, findInvalidText, findInvalidUtf8 } from "./text/utf8.js";
export { isBitSet, unpackBits } from "./values/bitmap.js";
export { swapBytes } from "./values/byte-order.js";
export { processConcurrently } from "./values/for-each-at-once.js";
export { findMissingInR, NA_INTEGER, putMissingReal } from "./values/missing-in-r.js";
export { decodeFloat16 } from "./values/number-bits.js";
export { once } from "./values/once.js";
export { sliceRows } from "./values/stored-rows.js";
export { takeElements } from "./values/take-elements.js";
