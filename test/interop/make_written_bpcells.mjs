/**
 * Writes BPCells directories from Arrow tables, and reads what the bpcells package wrote:
 *
 *     node test/interop/make_written_bpcells.mjs write IN/ OUT/     every IN/NAME.arrow to the directory OUT/NAME
 *     node test/interop/make_written_bpcells.mjs read STORE OUT/    the tables of a directory as Arrow files
 *
 * The name of a table tells what it becomes: NAME.fragments.arrow fragments, all others matrices.
 */

import { readdirSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { tableFromIPC } from "apache-arrow";

const node = resolve(import.meta.dirname, "../../dist/node.js");
const { convert, write } = await import(pathToFileURL(node).href);

const [task, from, to] = process.argv.slice(2);
if (task === "read") {
  await convert(from, to, { format: "arrow" });
} else {
  for (const file of readdirSync(from)) {
    const table = tableFromIPC(readFileSync(join(from, file)));
    const name = basename(file, ".arrow");
    const element = name.endsWith(".fragments") ? "fragments" : "matrix";
    const options = name.includes(".row") ? { order: "row" } : {};
    await write(join(to, name), { [element]: table }, { format: "bpcells", ...options });
  }
}
