// Opens a file and prints its tables: name, rows and columns. No data is read for this.
//
//   node examples/tables.mjs [FILE]

import { fileURLToPath } from "node:url";
import { open } from "annarrow";

const data = await open(process.argv[2] ?? fileURLToPath(new URL("pbmc.h5ad", import.meta.url)));
console.log(`${data.format} ${data.version} in ${data.container}, ${data.shape?.join(" x ")}`);
for (const [name, table] of data.tables) {
  const columns = table.schema.fields.map((field) => `${field.name}: ${field.type}`);
  console.log(`${name} (${table.rows} rows) ${columns.join(", ")}`);
}
await data.close();
