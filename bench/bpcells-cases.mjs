// The cases of BPCells stores, beside the bpcells package; what R does is given as figures, since it needs a compiler.

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { somePositions } from "./inputs.mjs";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/** As often does every process its task: the first time compiles it. */
const REPEAT = 5;

/** What BPCells itself (R, one thread) takes for this matrix, and for 10 M fragments, in seconds. */
const R = { sums: 0.087, write: 0.142, raw: 1.5, fragments: 0.085 };

/** Bits that the integers of a real matrix and real fragments have. */
const KERNELS = [
  ["plain", 8, "up", 4e9],
  ["m1", 5, "up", 4e9],
  ["d1", 8, "up", 2.5e9],
  ["d1z", 8, "up", 2.5e9],
  ["plain", 8, "down", 2.5e9],
  ["m1", 5, "down", 2.5e9],
  ["d1z", 8, "down", 2.5e9],
];
const KERNEL_VALUES = 2 ** 26;

/**
 * @param {{ input: (name: string) => string, out: (side: string) => string, dist: string, bpcellsPython: string,
 *   shape: [number, number], values: number }} setup  values: stored ones of the matrix
 * @returns {import("./cases.mjs").Case[]}
 */
export function bpcellsCases({ input, out, dist, bpcellsPython, shape, values }) {
  const ours = (...args) => [process.execPath, here("ours-bpcells.mjs"), dist, String(REPEAT), ...args];
  const peer = (...args) => [bpcellsPython, here("bpcells_peer.py"), String(REPEAT), ...args];
  const one = (command) => ["taskset", "--cpu-list", "0", ...command];
  const store = (name) => input(join("bpcells", name));
  const beside = (command, aim, more) => ({ name: "bpcells", command, aim, flaky: true, ...more });
  const core = "One core";
  const cores = "Two cores";

  const kernels = KERNELS.map(([kind, width, direction, least]) => ({
    id: `bpcells-kernel-${kind}-${direction}`,
    section: "BPCells: kernels, one core",
    title: `${direction === "up" ? "unpack" : "pack"} ${kind}, ${width} bits, ${KERNEL_VALUES / 2 ** 20} Mi integers`,
    ours: one(ours("kernels", kind, String(width), direction)),
    peers: [],
    rates: [{ count: KERNEL_VALUES, unit: "integers", least }],
  }));

  const matrix = store("matrix");
  const rate = (least) => [{ count: values, unit: "non-zeros", least }];
  const blocks = peer("blocks", matrix);
  const sums = (axis, name) =>
    [
      [core, one, [{ seconds: R.sums, of: "R's colSums" }], []],
      [cores, (command) => command, [], rate(1e9)],
    ].map(([title, on, within, rates]) => ({
      id: `bpcells-sum-${name}-${title === core ? 1 : 2}`,
      title: `sum by ${name}, ${title.toLowerCase()}`,
      ours: on(ours("sums", matrix, axis)),
      peers: [beside(on(peer("sums", matrix, axis)))],
      same: "result",
      within,
      rates,
    }));
  const ids = somePositions(1000, shape[0]).join(",");
  const reading = [
    {
      id: "bpcells-batches",
      title: "whole matrix to owned record batches, one core",
      ours: one(ours("batches", matrix, "owned")),
      peers: [beside(one(blocks), 5)],
      same: "result",
      rates: rate(350e6),
    },
    {
      id: "bpcells-reused",
      title: "the same, batches that use their memory again, one core",
      ours: one(ours("batches", matrix, "reused")),
      peers: [beside(one(blocks))],
      same: "result",
      rates: rate(800e6),
    },
    {
      id: "bpcells-batches-2",
      title: "whole matrix to owned record batches, two cores",
      ours: ours("batches", matrix, "owned"),
      peers: [beside(blocks)],
      same: "result",
    },
    ...sums("col", "column"),
    ...sums("row", "row"),
    {
      id: "bpcells-columns",
      title: "1,000 random columns, one core",
      ours: one(ours("columns", matrix, ids)),
      peers: [beside(one(peer("columns", matrix, ids)), 1)],
      same: "result",
    },
  ].map((given) => ({ ...given, section: "BPCells: a packed matrix" }));

  const csc = store("csc");
  // Names of cells and genes go along; other columns have no place.
  const lossy = JSON.stringify({ lossy: true });
  const options = JSON.stringify({ type: "uint", lossy: true });
  const converts = (id, title, name, aim, more) => ({
    id,
    title,
    ours: ours("store", input(name), out("ours"), options),
    peers: [beside(peer("h5ad", input(name), out("peer0")), aim, more)],
    same: "packed",
    memory: 400,
  });
  const writing = [
    {
      id: "bpcells-write",
      title: "from arrays in memory, one core",
      ours: one(ours("write", csc, out("ours"))),
      peers: [beside(one(peer("write", csc, out("peer0"))))],
      same: "packed",
      within: [{ seconds: 1.3 * R.write, of: "1.3 times R's write" }],
    },
    {
      id: "bpcells-write-2",
      title: "from arrays in memory, two cores",
      ours: ours("write", csc, out("ours")),
      peers: [beside(peer("write", csc, out("peer0")))],
      same: "packed",
    },
    converts("bpcells-gzip", "from gzip .h5ad", "matrix.h5ad", 1.8),
    {
      ...converts("bpcells-raw", "from uncompressed .h5ad", "matrix.raw.h5ad", 2, { atMost: true }),
      within: [{ seconds: R.raw, of: "R's import" }],
    },
  ].map((given) => ({ ...given, section: "BPCells: to a packed matrix" }));

  const fragments = [
    {
      id: "bpcells-fragments",
      title: "10 M fragments to record batches, one core",
      ours: one(ours("fragments", store("fragments"))),
      peers: [],
      within: [{ seconds: 1.5 * R.fragments, of: "1.5 times R's full read" }],
    },
    {
      id: "bpcells-fragments-2",
      title: "the same, two cores",
      ours: ours("fragments", store("fragments")),
      peers: [],
    },
    {
      id: "bpcells-write-fragments",
      title: "10 M sorted fragments in memory to a packed directory, one core",
      ours: one(ours("write-fragments", store("fragments.bin"), out("ours"))),
      peers: [],
      within: [{ seconds: 0.1, of: "0.1 s" }],
    },
    {
      id: "bpcells-fragments-text",
      title: "fragments.tsv.gz of 10 M to a packed directory, two cores",
      ours: ours("store", store("fragments.tsv.gz"), out("ours"), lossy),
      peers: [beside(peer("fragments", store("fragments.tsv.gz"), out("peer0")))],
      same: "packed",
      memory: 400,
    },
  ].map((given) => ({ ...given, section: "BPCells: fragments" }));

  return [...kernels, ...reading, ...writing, ...fragments].map((given) => ({ clock: "inside", ...given }));
}
