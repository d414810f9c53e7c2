// What the library does with plain HDF5 and frames of pandas, each task in a process of its own:
// node bench/ours/ours-plain.mjs DIST TASK IN TABLE [OUT]
//
//   batches IN TABLE        the table as record batches, one after the other
//   parquet IN TABLE OUT    the table as a Parquet file
//
// Prints {"seconds", "result"}: the time of the task, without the start of Node and the import of the library; and what
// tells that the other side found the same values.

import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [dist, task, source, name, target] = process.argv.slice(2);
const { convert, open } = await import(pathToFileURL(join(dist, "node.js")).href);

async function batches(see) {
  const data = await open(source);
  for await (const batch of data.table(name).batches()) see(batch);
  await data.close();
}

/** The sum of the numbers of each column of the frame. */
async function sums() {
  const found = { rows: 0 };
  await batches((batch) => {
    found.rows += batch.numRows;
    for (const { name: column, type } of batch.schema.fields) {
      if (!/^(Int|Uint|Float)/.test(String(type))) continue;
      const { values } = batch.getChild(column).data[0];
      let sum = found[column] ?? 0;
      for (let i = 0; i < values.length; i++) sum += Number(values[i]);
      found[column] = sum;
    }
  });
  return found;
}

// As the peer imports pandas, PyTables and pyarrow. What the library loads besides, when it needs it, is within the time.
if (task === "batches") await import("apache-arrow");
const began = performance.now();
if (task === "batches") await batches(() => undefined);
else await convert(source, target, { tables: [name] });
const seconds = (performance.now() - began) / 1000;
console.log(JSON.stringify({ seconds, result: task === "batches" ? await sums() : null }));
