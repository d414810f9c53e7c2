/** Tables in files of their own, in a directory or alone. */

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
