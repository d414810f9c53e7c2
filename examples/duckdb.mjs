// Loads tables into DuckDB-WASM and asks in which cell type five marker genes are found most often, and their mean over all
// cells of this type: a left join gives a zero to cells without a stored value.
//
//   node examples/duckdb.mjs [FILE]

import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { loadIntoDuckDB, open } from "annarrow";

const require = createRequire(import.meta.url);
const duckdb = require("@duckdb/duckdb-wasm/dist/duckdb-node-blocking.cjs");
const wasm = (name) => require.resolve(`@duckdb/duckdb-wasm/dist/duckdb-${name}.wasm`);
const bundles = { mvp: { mainModule: wasm("mvp"), mainWorker: "" }, eh: { mainModule: wasm("eh"), mainWorker: "" } };
const database = await duckdb.createDuckDB(bundles, new duckdb.VoidLogger(), duckdb.NODE_RUNTIME);
await database.instantiate();
const connection = database.connect();

const data = await open(process.argv[2] ?? fileURLToPath(new URL("pbmc.h5ad", import.meta.url)));
await loadIntoDuckDB(data, connection, { tables: ["obs", "var", "X"] });
const answer = connection.query(`
  with expression as (
    select symbol, cell_type, count(value)::int as cells, avg(coalesce(value, 0)) as mean
    from obs join var on symbol in ('CD3E', 'MS4A1', 'NKG7', 'LYZ', 'PPBP') left join X using (row, col)
    group by all
  )
  from expression
  select symbol, arg_max(cell_type, cells) as cell_type, max(cells) as cells, arg_max(mean, cells) as mean
  group by all
  order by all
`);
for (const row of answer) console.log(`${row.symbol}\t${row.cell_type}\t${row.cells}\t${row.mean.toFixed(3)}`);
await data.close();
connection.close();
