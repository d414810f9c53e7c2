/** The part of `parquet/` that packages can use: `annarrow/core/parquet`. */

export { PARQUET_COMPRESSIONS } from "./write/compression.js";
export { ParquetFile } from "./write/file.js";
export { describeFile } from "./write/file-description.js";
export { isRowGroup, ROW_GROUP_BYTES } from "./write/row-group.js";
