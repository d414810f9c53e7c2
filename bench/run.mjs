// Runs every benchmark beside its peers, and writes bench/RESULTS.md:
//
//   node bench/run.mjs --python PYTHON [--folder CACHE] [--repeat 5] [--full] [--peer-scaling]
//
// PYTHON has what test/interop/requirements.txt names. CACHE keeps the inputs: 2.3 GB, with --full (a matrix of 400 M
// stored values) 3.2 GB; the cases ^parts-keep, which run unless --only leaves them out, need 6.2 GB more, and 10 GB while they run.
// --only PATTERN runs the cases whose id matches, --no-wait does not wait for an idle machine, --load and --wait are the
// load average and the seconds to wait for it, --dist is the built library, --out another file to write; --cells, --genes,
// --values, --rows, --fragments make smaller inputs. Needs `npm run build`.
//
//   node bench/run.mjs --python PYTHON --full --repeat 3 --only ^parts --out bench/PARTS.md
//
// measures parts of datasets, in about twenty minutes.
//
// --bpcells PYTHON, one of version 3.12 with what make_bpcells.py names, adds the cases of BPCells (0.9 GB more):
//
//   node bench/run.mjs --python PYTHON --bpcells PYTHON --only ^bpcells --out bench/BPCELLS.md
//
// With --r LIBRARY, the folder in which R has its package BPCells, that is measured beside it.
//
// --loom PYTHON, one of version 3.11 with what make_loom.py names, adds those of Loom (0.13 GB more):
//
//   node bench/run.mjs --python PYTHON --loom PYTHON --only ^loom --out bench/LOOM.md
//
// --mat PYTHON, one of version 3.11 with what make_matlab.py names, adds those of MATLAB (2.5 GB more):
//
//   node bench/run.mjs --python PYTHON --mat PYTHON --only ^mat --repeat 1 --out bench/MATLAB.md
//
// --rscript RSCRIPT, the program of R that runs scripts, adds those of R objects (0.3 GB more):
//
//   node bench/run.mjs --python PYTHON --rscript Rscript --repeat 3 --only ^r- --out bench/R.md
//
// --tables PYTHON, one with what make_plain.py names, adds those of plain HDF5 and of pandas' HDFStore (1.9 GB more):
//
//   node bench/run.mjs --python PYTHON --tables PYTHON --only '^plain|^hdfstore' --out bench/PLAIN.md
//
// --flight adds those of Arrow Flight:
//
//   node bench/run.mjs --python PYTHON --flight --only ^flight --out bench/FLIGHT.md
//
// --soma PYTHON, one with tiledbsoma 2.3 and anndata 0.11, adds TileDB-SOMA to the peers of unions:
//
//   node bench/run.mjs --python PYTHON --soma PYTHON --repeat 3 --only ^union --out bench/UNION.md
//
// --wheel PYTHON, one with the Python package and what peer.py imports, adds those of the package:
//
//   node bench/run.mjs --python PYTHON --wheel PYTHON --repeat 3 --only ^python --out bench/PYTHON.md
//
// The cases ^query are statements; with --full they are those over 400 M stored values, too (2.1 GB more). --flight adds
// Flight SQL:
//
//   node bench/run.mjs --python PYTHON --full --flight --only '^query|flight-sql' --out bench/QUERY.md

import { mkdirSync, readdirSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg, tmpdir, totalmem } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { KEPT_CASES } from "./cases/parts-cases.mjs";
import { QUERY_INPUTS } from "./cases/query-cases.mjs";
import { casesOf } from "./cases.mjs";
import { FULL_SIZES, makeInputs, SIZES } from "./make/inputs.mjs";
import { startS3 } from "./ours/s3.mjs";
import { difference, measured, run } from "./process.mjs";
import { untilIdle, untilQuiet } from "./quiet.mjs";
import { caseRows, page } from "./report.mjs";
import { summary } from "./statistics.mjs";

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const text = (value) => ({ type: "string", ...(value === undefined ? {} : { default: value }) });
const { values: options } = parseArgs({
  options: {
    python: text("python3"),
    bpcells: text(),
    r: text(),
    loom: text(),
    mat: text(),
    soma: text(),
    wheel: text(),
    rscript: text(),
    tables: text(),
    flight: { type: "boolean", default: false },
    folder: text(join(tmpdir(), "annarrow-bench")),
    repeat: text("5"),
    dist: text(path("../dist")),
    out: text(path("RESULTS.md")),
    only: text(),
    load: text("0.5"),
    wait: text("900"),
    "no-wait": { type: "boolean", default: false },
    full: { type: "boolean", default: false },
    "peer-scaling": { type: "boolean", default: false },
    cells: text(),
    genes: text(),
    values: text(),
    rows: text(),
    fragments: text(),
  },
});
const { python } = options;
const folder = resolve(options.folder);
const sizes = options.full ? FULL_SIZES : SIZES;
const rounds = Number(options.repeat);
/** Before one run; the wait for a low load average comes before all of them. */
const QUIET_SECONDS = 30;

mkdirSync(folder, { recursive: true });
const bpcellsPython = options.bpcells;
const loomPython = options.loom;
const matPython = options.mat;
const pattern = new RegExp(options.only ?? "");
const dist = resolve(options.dist);
makeInputs(python, folder, {
  ...{ ...options, sizes, dist, bpcellsPython, loomPython, matPython, tablesPython: options.tables },
  kept: KEPT_CASES.some((id) => pattern.test(id)),
  many: ["union-plan", "union-task"].some((id) => pattern.test(id)),
  made: options.full && pattern.test("query-gene") ? QUERY_INPUTS : [],
});
const shape = [Number(options.cells ?? 25_000), Number(options.genes ?? 20_000)];
const setup = {
  shape,
  values: storedValues(),
  python,
  bpcellsPython,
  rLibrary: options.r && resolve(options.r),
  loomPython,
  matPython,
  somaPython: options.soma,
  wheelPython: options.wheel,
  rscript: options.rscript,
  tablesPython: options.tables,
  dist,
  folder,
  sizes,
  peerScaling: options["peer-scaling"],
  flight: options.flight,
  rounds,
};
const chosen = casesOf(setup).filter(({ id }) => pattern.test(id));

const started = new Date().toISOString().slice(0, 16).replace("T", " ");
const noise = { runs: 0, unquiet: 0, foreign: [] };
if (!options["no-wait"] && !(await untilIdle(Number(options.load), Number(options.wait)))) {
  console.log(`the load average is still ${loadavg()[0].toFixed(2)} after ${options.wait} s: measuring all the same`);
}

const out = join(folder, "out");
const used = join(folder, "used");
for (const left of [out, used]) rmSync(left, { recursive: true, force: true });
mkdirSync(out);
/**
 * ext4 without a journal does not give the inodes of removed files to new files for some minutes, and looks for others
 * at length: files by the ten thousand would be made three times as slowly as at first. Emptied files keep theirs.
 */
const clear = (keepsInodes) => {
  if (keepsInodes) {
    for (const entry of readdirSync(out, { recursive: true, withFileTypes: true })) {
      if (entry.isFile()) truncateSync(join(entry.parentPath, entry.name));
    }
    mkdirSync(used, { recursive: true });
    renameSync(out, join(used, String(readdirSync(used).length)));
  }
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out);
};
const sizeOf = (name, same) => {
  const info = statSync(name, { throwIfNoEntry: false });
  if (!info?.isDirectory()) return info?.size;
  // Of directories of tables, what both sides write: X, obs and var, without our list of the files.
  const counts = same !== "files" ? /(?:)/ : /^[^/]*\.(parquet|arrow)$/;
  const files = readdirSync(name, { recursive: true }).filter((file) => counts.test(file));
  const found = files.map((file) => statSync(join(name, file))).filter((one) => one.isFile());
  return found.reduce((sum, { size }) => sum + size, 0);
};

/** What compares the written files of two sides. */
const CHECKS = {
  files: [python, "check/check_tables.py"],
  stores: [python, "check/check_stores.py"],
  "unsorted stores": [python, "check/check_stores.py", "--any-order"],
  packed: [python, "check/check_packed.py"],
  looms: [loomPython, "check/check_looms.py"],
  mats: [matPython, "check/check_mats.py"],
  unions: [python, "check/check_union.py"],
};

/** How many values the matrix really has: the arrays of BPCells tell. */
function storedValues() {
  if (bpcellsPython === undefined) return Number(options.values ?? 55e6);
  return statSync(join(folder, "bpcells", "csc", "value.bin")).size / 4;
}

/** What `task` gives, tried up to `times` times. */
function again(times, task) {
  try {
    return task();
  } catch (error) {
    if (times <= 1) throw error;
    return again(times - 1, task);
  }
}

/** All rounds of one case. @throws where a side fails, or the sides do not agree. */
async function runCase(one) {
  const commands = [one.ours, ...one.peers.map(({ command }) => command)];
  const runs = commands.map(() => []);
  // The first round fills the page cache and does not count.
  for (let round = one.once ? 0 : -1; round < (one.once ? 1 : (one.rounds ?? rounds)); round++) {
    clear(one.keepsInodes);
    const order = commands.map((_, i) => i);
    if (round % 2) order.reverse();
    for (const side of order) {
      const quiet = options["no-wait"] || (await untilQuiet(QUIET_SECONDS));
      const found = again(one.peers[side - 1]?.flaky ? 5 : 1, () => measured(python, commands[side]));
      if (found[one.clock] === null) throw new Error(`${commands[side].slice(0, 4).join(" ")} printed no time`);
      if (round < 0) continue;
      runs[side].push(found);
      noise.runs++;
      noise.foreign.push(found.foreign);
      if (!quiet) noise.unquiet++;
    }
  }
  const written = ["ours", ...one.peers.map((_, i) => `peer${i}`)].map((name) => join(out, name + (one.suffix ?? "")));
  for (let i = 1; i < commands.length; i++) {
    if (one.peers[i - 1].bare) continue;
    const check = CHECKS[one.same];
    if (check) console.log(run([check[0], path(check[1]), written[0], written[i], ...check.slice(2)]).trim());
    const unlike = one.same === "result" ? difference(runs[0][0].result, runs[i][0].result) : null;
    if (unlike !== null) throw new Error(`not the same as ${one.peers[i - 1].name}: ${unlike}`);
  }
  const sizes = CHECKS[one.same] ? written.map((name) => sizeOf(name, one.same)) : [];
  return { one, sides: runs.map((side) => summary(side, one.clock)), sizes, runs };
}

const stopS3 = chosen.some(({ id }) => id === "query-s3") ? await startS3(folder, "bench") : null;
const cases = [];
for (const one of chosen) {
  const found = await runCase(one).catch((error) => ({ one, failure: error.message }));
  cases.push(found);
  console.log(`${one.id} (${one.section})`);
  console.log(found.failure ?? caseRows(one, found.sides, found.sizes).join("\n"));
}
await stopS3?.();
for (const left of [out, used]) rmSync(left, { recursive: true, force: true });

const VERSIONS = `import platform; from importlib.metadata import version
names = "anndata", "h5py", "zarr", "numcodecs", "numpy", "pandas", "pyarrow", "polars", "duckdb"
print(", ".join([f"Python {platform.python_version()}", *(f"{name} {version(name)}" for name in names)]))`;
const R_VERSIONS = `cat(R.version.string, "BPCells", format(packageVersion("BPCells", lib.loc = commandArgs(TRUE)[1])))`;
const versions = [
  `Node ${process.versions.node}`,
  run([python, "-c", VERSIONS]).trim(),
  ...(options.rscript ? [run([options.rscript, "-e", "cat(R.version.string)"]).trim()] : []),
  ...(options.r ? [run(["Rscript", "-e", R_VERSIONS, resolve(options.r)]).trim()] : []),
];
const given = process.argv.slice(2).filter((word, i, all) => {
  const hidden = /^--(python|bpcells|r|rscript|tables|loom|mat|soma|wheel|folder|dist|out)$/;
  return !hidden.test(word) && !hidden.test(all[i - 1] ?? "");
});
const foreign = noise.foreign.sort((a, b) => a - b);
const share = (at) => `${Math.round(100 * (foreign[Math.floor(at * (foreign.length - 1))] ?? 0))} %`;
const waited = `${noise.runs - noise.unquiet} of ${noise.runs} began so`;
writeFileSync(
  options.out,
  page({
    started: `${started} UTC`,
    machine: `${availableParallelism()} cores of ${cpus()[0].model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    versions: versions.join("; "),
    command: [
      "node bench/run.mjs --python PYTHON",
      ...(bpcellsPython ? ["--bpcells PYTHON"] : []),
      ...(options.r ? ["--r LIBRARY"] : []),
      ...(options.rscript ? ["--rscript RSCRIPT"] : []),
      ...(loomPython ? ["--loom PYTHON"] : []),
      ...(matPython ? ["--mat PYTHON"] : []),
      ...(options.tables ? ["--tables PYTHON"] : []),
      ...(options.soma ? ["--soma PYTHON"] : []),
      ...(options.wheel ? ["--wheel PYTHON"] : []),
      ...given,
    ].join(" "),
    rounds,
    noise: `${options["no-wait"] ? "Here they did not wait." : `${waited}.`} Others used ${share(0.5)} of the cores in the median run, ${share(0.9)} in one of ten.`,
    cases,
  }),
);
writeFileSync(join(folder, "results.json"), JSON.stringify({ started, noise, cases }, null, 1));
const failed = cases.filter(({ failure }) => failure);
console.log(`${options.out}: ${cases.length - failed.length} cases, ${failed.length} failed`);
process.exitCode = failed.length > 0 ? 1 : 0;
