// Reads one column of `obs` and counts its values. The other columns are not read.
//
//   node examples/one-column.mjs [FILE [COLUMN]]

import { fileURLToPath } from "node:url";
import { open } from "annarrow";

const [file = fileURLToPath(new URL("pbmc.h5ad", import.meta.url)), column = "cell_type"] = process.argv.slice(2);
const data = await open(file);
const obs = await data.table("obs").read({ columns: [column] });
const counts = new Map();
for (const value of obs.getChild(column)) counts.set(value, (counts.get(value) ?? 0) + 1);
for (const [value, count] of [...counts].sort(([, a], [, b]) => b - a)) console.log(`${value}\t${count}`);
await data.close();
