/** What the lane `runtimes` runs: a file is read, with a matrix by workers where there are any, copied, and converted. */

import { readdirSync } from "node:fs";
import { convert, open, write } from "annarrow";

const data = await open("pbmc.h5ad");
const obs = await data.table("obs").read({ columns: ["cell_type"] });
let entries = 0;
for await (const batch of data.table("X").batches()) entries += batch.numRows;
await write("copy.zarr", data);
await data.close();
await convert("copy.zarr", "tables", { format: "parquet" });
// Beside the tables lie the categories of their columns.
const files = readdirSync("tables", { recursive: true }).filter((name) =>
  /^(?!.*\.categories\b).*\.parquet$/.test(name),
);
const copy = await open("copy.zarr");
const shape = copy.shape.join(" x ");
const isWhole = files.length === copy.tables.size;
await copy.close();
process.stdout.write(`${obs.numRows} cells, ${entries} entries, ${shape}, all tables: ${isWhole}\n`);
