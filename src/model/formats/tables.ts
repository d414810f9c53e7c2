/** Tables in separate files, in a directory or on their own. */

import { describeFormat } from "./descriptor.js";

export const tables = describeFormat({
  name: "tables",
  title: "Tables",
  content: "tables",
  stores: {},
  endings: ["parquet", "arrow", "arrows", "feather"],
  options: {},
  axes: null,
});
