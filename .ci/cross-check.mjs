// Compares our HDF5 reader with libhdf5 (h5wasm) over whole folders: node .ci/cross-check.mjs FOLDER…
//
// Every group, link, attribute and array of every HDF5 file below the folders. Prints what differs, and what could not
// be compared by reason; ends with the line "N passed, N failed", one check per file.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { importBundled } from "../scripts/import-bundled.mjs";

const HDF5 = /\.(h5|h5ad|h5mu|loom|mat)$/;

const { crossCheck, isHdf5, bytesSource } = await importBundled(
  "test/containers/hdf5/cross-check.ts",
  "src/containers/hdf5/file/superblock.ts",
  "test/containers/hdf5/fixture.ts",
);

const files = process.argv.slice(2).flatMap((folder) =>
  readdirSync(folder, { recursive: true })
    .filter((name) => HDF5.test(name))
    .map((name) => join(folder, name))
    .sort(),
);

const print = (line) => process.stdout.write(`${line}\n`);

const total = { groups: 0, links: 0, attributes: 0, arrays: 0, values: 0 };
const reasons = new Map();
let passed = 0;
let failed = 0;
for (const path of files) {
  const bytes = new Uint8Array(readFileSync(path));
  const source = bytesSource(bytes, path);
  // Older .mat files are no HDF5.
  if (!(await isHdf5(source))) continue;
  try {
    const { equal, skipped, different } = await crossCheck(source, bytes);
    for (const kind of Object.keys(total)) total[kind] += equal[kind];
    for (const one of skipped) {
      const reason = one.slice(one.indexOf(": ") + 2);
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    }
    for (const one of different) print(`${path}: ${one}`);
    if (different.length === 0) passed++;
    else failed++;
  } catch (error) {
    failed++;
    print(`${path}: ${error instanceof Error ? error.stack : error}`);
  }
}
print(`equal: ${JSON.stringify(total)}`);
for (const [reason, count] of [...reasons].sort((a, b) => b[1] - a[1])) print(`not compared, ${count}: ${reason}`);
print(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
