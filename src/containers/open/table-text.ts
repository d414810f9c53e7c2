/** The error text for tables as text (CSV, TSV), which are not read. */

import type { ByteSource } from "../../sources/source.js";

/** The text for a file whose name is that of a table as text; null for other files. */
export function tableText({ name }: Pick<ByteSource, "name">): string | null {
  if (!/\.(csv|tsv|tab|txt)(\.gz)?$/i.test(name)) return null;
  return "a table as text, which is not read: save it as Parquet, as pandas.read_csv(…).to_parquet(…) does, or copy (from '….csv') to '….parquet' in DuckDB";
}
