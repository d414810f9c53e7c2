// Exports a whole file as Parquet: one file per table, and a manifest that says which is which.
//
//   node examples/parquet.mjs [FILE [FOLDER]]

import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { convert } from "annarrow";

const file = process.argv[2] ?? fileURLToPath(new URL("pbmc.h5ad", import.meta.url));
const folder = process.argv[3] ?? join(await mkdtemp(join(tmpdir(), "pbmc-")), "tables");
await convert(file, folder, { format: "parquet" });
console.log(folder);
