// What the benchmarks read, made once by the scripts beside this file.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "../process.mjs";

export const SIZES = [1, 10, 50, 100];
export const FULL_SIZES = [...SIZES, 400];

/**
 * Makes what is missing in `folder`.
 * @param sizes millions of stored values of the matrices for the scaling cases.
 * @param many whether the 10,000 names of small files are needed, of which unions are planned.
 * @param kept whether the matrices of 2 GB are needed, whose chunks are kept.
 * @param made further inputs, which commands of ours make: the name of each, and the command.
 */
export function makeInputs(python, folder, options) {
  const {
    sizes,
    kept,
    many,
    made,
    dist,
    cells,
    genes,
    values,
    rows,
    fragments,
    bpcellsPython,
    loomPython,
    matPython,
    rscript,
    tablesPython,
  } = options;
  const given = (options) => Object.entries(options).flatMap(([name, value]) => (value ? [`--${name}`, value] : []));
  const make = (script, ...args) => run([python, fileURLToPath(new URL(script, import.meta.url)), folder, ...args]);
  make("make_matrix.py", ...given({ cells, genes, values }));
  make("make_stores.py");
  make("make_obs.py", ...given({ rows }));
  make("make_concat.py", ...given({ genes, values: values && String(Math.ceil(Number(values) / 11)) }));
  make("make_sizes.py", ...sizes.map(String));
  if (kept) make("make_kept.py");
  if (many) make("make_union.py");
  const convert = (from, to, ...args) => {
    const target = join(folder, to);
    if (!existsSync(target))
      run([process.execPath, join(dist, "cli", "main.js"), "convert", join(folder, from), target, ...args]);
  };
  // A peer copies this folder.
  if (kept) convert("kept.h5ad", "kept.h5ad.zarr", "--compression", "keep");
  convert("matrix.h5ad", "matrix.genes.bpcells", "--order", "row", "--type", "uint", "--lossy");
  if (rscript !== undefined && !existsSync(join(folder, "matrix.rds"))) {
    // R saves the file that it reads, so that it is one of R's.
    convert("matrix.h5ad", "matrix.ours.rds", "--seurat", "v4");
    const [from, to] = ["matrix.ours.rds", "matrix.rds"].map((name) => JSON.stringify(join(folder, name)));
    run([rscript, "-e", `saveRDS(readRDS(${from}), ${to})`]);
  }
  for (const [name, [command, ...args]] of made) {
    // The command runs within the folder.
    if (!existsSync(join(folder, name)))
      run(["env", "-C", folder, process.execPath, join(dist, "cli", "main.js"), command, ...args]);
  }
  const makeBy = (other, script, ...args) => {
    if (other !== undefined) run([other, fileURLToPath(new URL(script, import.meta.url)), folder, ...args]);
  };
  makeBy(bpcellsPython, "make_bpcells.py", ...given({ fragments }));
  makeBy(loomPython, "make_loom.py");
  makeBy(matPython, "make_matlab.py");
  makeBy(tablesPython, "make_plain.py");
}

/** `count` distinct positions below `end` in ascending order, the same in every run. */
export function somePositions(count, end) {
  const found = new Set();
  for (let seed = 1; found.size < Math.min(count, end); ) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    found.add(Math.floor((seed / 2 ** 32) * end));
  }
  return [...found].sort((a, b) => a - b);
}
