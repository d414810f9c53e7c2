// Streams a matrix in batches of at most 1 MiB and adds up the values of every gene. Memory does not grow with the
// matrix: each batch is three typed arrays (row, col, value), and none is kept.
//
//   node examples/stream.mjs [FILE [TABLE]]

import { fileURLToPath } from "node:url";
import { open } from "annarrow";

const [file = fileURLToPath(new URL("pbmc.h5ad", import.meta.url)), name = "layers/counts"] = process.argv.slice(2);
const data = await open(file);
const matrix = data.table(name);
const totals = new Float64Array(matrix.metadata.shape[1]);
let batches = 0;
for await (const batch of matrix.batches({ columns: ["col", "value"], batchBytes: 2 ** 20 })) {
  const genes = batch.getChild("col").toArray();
  const values = batch.getChild("value").toArray();
  for (let i = 0; i < values.length; i++) totals[genes[i]] += values[i];
  batches++;
}
const symbols = (await data.table("var").read({ columns: ["symbol"] })).getChild("symbol");
const order = [...totals.keys()].sort((a, b) => totals[b] - totals[a]);
console.log(`${matrix.rows} values in ${batches} batches`);
for (const gene of order.slice(0, 5)) console.log(`${symbols.get(gene)}\t${totals[gene]}`);
await data.close();
