// The cases of BPCells stores, beside the bpcells package of Python, and BPCells itself where R has it.

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { somePositions } from "../make/inputs.mjs";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/** As often does every process its task: the first time compiles it. */
const REPEAT = 5;

/**
 * What BPCells itself (R, one thread) took for such a matrix, and for 10 M fragments, in seconds, on another machine: what
 * is aimed at where R is not asked here.
 */
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
 *   rLibrary?: string, shape: [number, number], values: number }} setup  values: stored ones of the matrix; rLibrary: the folder
 *   in which R has BPCells
 * @returns {import("../cases.mjs").Case[]}
 */
export function bpcellsCases({ input, out, dist, bpcellsPython, rLibrary, shape, values }) {
  const ours = (...args) => [process.execPath, here("../ours/ours-bpcells.mjs"), dist, String(REPEAT), ...args];
  const peer = (...args) => [bpcellsPython, here("../peers/bpcells_peer.py"), String(REPEAT), ...args];
  const one = (command) => ["taskset", "--cpu-list", "0", ...command];
  const store = (name) => input(join("bpcells", name));
  const beside = (command, aim, more) => ({ name: "bpcells", command, aim, flaky: true, ...more });
  /** R beside the other peers, or what it took elsewhere. */
  const besideR = (peers, args, { elsewhere, of, times = 1, ...more }) => {
    if (rLibrary === undefined) return { peers, within: elsewhere ? [{ seconds: times * elsewhere, of }] : [] };
    const command = one(["Rscript", here("../peers/bpcells_peer.R"), rLibrary, String(REPEAT), ...args]);
    const aim = elsewhere === undefined ? {} : { aim: times, atMost: true };
    return { peers: [...peers, { name: "BPCells in R", command, ...aim, ...more }] };
  };
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
      [core, one, (peers) => besideR(peers, ["sums", matrix, axis], { elsewhere: R.sums, of: "R's colSums" })],
      [cores, (command) => command, (peers) => ({ peers, rates: rate(1e9) })],
    ].map(([title, on, more]) => ({
      id: `bpcells-sum-${name}-${title === core ? 1 : 2}`,
      title: `sum by ${name}, ${title.toLowerCase()}`,
      ours: on(ours("sums", matrix, axis)),
      ...more([beside(on(peer("sums", matrix, axis)))]),
      same: "result",
    }));
  const ids = somePositions(1000, shape[0]).join(",");
  const reading = [
    {
      id: "bpcells-batches",
      title: "whole matrix to owned record batches, one core",
      ours: one(ours("batches", matrix, "owned")),
      ...besideR([beside(one(blocks), 5)], ["blocks", matrix], {}),
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
      ...besideR([beside(one(peer("write", csc, out("peer0"))))], ["write", matrix, out("peer1")], {
        elsewhere: R.write,
        times: 1.3,
        of: "1.3 times R's write",
      }),
      same: "packed",
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
      ...besideR([], ["fragments", store("fragments")], {
        elsewhere: R.fragments,
        times: 1.5,
        of: "1.5 times R's full read",
      }),
      same: "result",
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
      // Its fragments have another order where they begin at the same place.
      ...besideR([], ["write-fragments", store("fragments"), out("peer0")], { bare: true }),
      same: "packed",
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
