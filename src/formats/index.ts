/** The part of `formats/` that packages can use: `annarrow/core/formats`. */

export { getHdf5Compression, refuseKeep, STORE_COMPRESSIONS, storeCompression } from "./compression.js";
export { anndata } from "./conversion/anndata.js";
export { bpcells } from "./conversion/bpcells.js";
export { mudata } from "./conversion/mudata.js";
export type { FormatConversion } from "./conversion/view/format-conversion.js";
export { createUnchangedRule, createUnsupportedRule, type Rules } from "./conversion/view/rules.js";
export { UnsupportedElements } from "./conversion/view/unsupported-elements.js";
export { isFileWithin, outputFormats, parseOutput } from "./output.js";
export { checkByteTarget, createHdf5Store, createWriterOptions } from "./store-container.js";
export { writeBpcellsTables } from "./write-bpcells.js";
