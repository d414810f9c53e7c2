/** Files of Arrow and Parquet that this library does not write, and what pyarrow reads of them. */

import { readFileSync } from "node:fs";
import { open } from "../../../packages/published/src/node.js";

export const DATA = "test/fixtures/data/foreign-tables";

/** Columns as pyarrow reads them, for `placedValues`. */
export const expected = (name: string) => JSON.parse(readFileSync(`${DATA}/${name}.json`, "utf8"));

/** The one table of a file. */
export async function tableOf(input: string | Uint8Array) {
  const [table] = (await open(input)).tables.values();
  return table;
}
