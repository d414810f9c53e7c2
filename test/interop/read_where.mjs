/**
 * Reads rows of tables in files that `where` chooses, as a list of cases says:
 *
 *     node test/interop/read_where.mjs CASES.json
 *
 * A case has `input`, the file of one table, `output`, an Arrow file that is written, and one of `sql`, `positions`, `mask`
 * and `slice`. test_where_in_files.py compares the rows with pyarrow's.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { tableToIPC } from "apache-arrow";
import { importBundled } from "../../scripts/import-bundled.mjs";

const { open, slice } = await importBundled("packages/published/src/node.ts");

for (const { input, output, ...chosen } of JSON.parse(readFileSync(process.argv[2], "utf8"))) {
  const data = await open(input);
  const [table] = data.tables.values();
  writeFileSync(output, tableToIPC(await table.read({ where: { row: selectorOf(chosen) } }), "file"));
  await data.close();
}

function selectorOf({ sql, positions, mask, slice: range }) {
  if (sql !== undefined) return { kind: "sql", text: sql };
  return positions ?? mask ?? slice(...range);
}
