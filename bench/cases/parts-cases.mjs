// The cases of parts of datasets: choosing, splitting, putting together, another order, chunks as they are.

import { somePositions } from "../make/inputs.mjs";

/**
 * @param {{ input: (name: string) => string, out: (side: string) => string, ours: (...args: string[]) => string[],
 *   peer: (...args: string[]) => string[], floor: (...args: string[]) => string[], cli: (...args: string[]) => string[],
 *   sizes: number[], rounds: number, shape: [number, number] }} setup  sizes: millions of stored values; shape: cells and genes of the matrix
 * @returns {import("../cases.mjs").Case[]}
 */
export function partsCases(setup) {
  // The cases with the most files are the last: see `clear` in run.mjs.
  const cases = [chosen, pieces, split, united, ordered, kept].flatMap((casesOf) => casesOf(setup));
  return cases.map((one) => ({ ...one, rounds: Math.min(setup.rounds, one.rounds ?? setup.rounds) }));
}

/** The name of the side that does what no program can leave out. */
const FLOOR = "inflating, moving, deflating, writing of entries (`floor-parts.mjs`)";

/** Of a case whose aims hold inside the process and for the whole of it. */
const BOTH = { clock: "inside", bothClocks: true };

function chosen({ input, out, ours, peer, floor, shape }) {
  const command = (by, side, ...args) => by("part", input("matrix.h5ad"), `${out(side)}.h5ad`, ...args);
  const [cells, genes] = shape.map((count) => String(somePositions(count / 10, count)));
  return [
    ["parts-cells", "a tenth of the cells", "obs", cells, 5, { memory: 200 }],
    ["parts-genes", "a tenth of the genes, all cells", "var", genes, 3.5, {}],
  ].map(([id, title, axis, positions, aim, more]) => ({
    ...{ ...BOTH, id, title, section: "Parts: some cells or genes of a gzip .h5ad as another" },
    ...{ suffix: ".h5ad", same: "stores" },
    ours: command(ours, "ours", axis, positions),
    peers: [
      { name: "anndata", command: command(peer, "peer0", axis, positions), aim },
      { name: FLOOR, command: command(floor, "peer1", axis, positions), bare: true },
    ],
    ...more,
  }));
}

function pieces({ input, ours, peer, shape }) {
  const gene = String(shape[1] >> 1);
  const cells = String(somePositions(1000, shape[0]));
  const [matrix, byGenes, zarr] = ["matrix.h5ad", "matrix.csc.h5ad", "matrix.v3.zarr"].map(input);
  const backed = (aim, task, ...args) => ({ name: "anndata, backed", command: peer(`${task}-backed`, ...args), aim });
  const element = (task, ...args) => ({ name: "sparse_dataset", command: peer(`${task}-elem`, ...args) });
  const soon = { within: [{ seconds: 0.05, of: "aim" }] };
  return [
    ["gene-csr", "one gene, gzip .h5ad by cells", ["col", matrix, gene], [backed(3, "col", matrix, gene)], {}],
    ["gene-csc", "one gene, gzip .h5ad by genes", ["col", byGenes, gene], [backed(3, "col", byGenes, gene)], soon],
    [
      "gene-bpcells",
      "one gene, BPCells by genes (peer: .h5ad by genes)",
      ["gene-row", input("matrix.genes.bpcells"), gene],
      [backed(3, "col", byGenes, gene)],
      soon,
    ],
    ["gene-zarr", "one gene, Zarr v3 by cells", ["col", zarr, gene], [element("col", zarr, gene)], {}],
    [
      "some-csr",
      "1,000 cells, gzip .h5ad by cells",
      ["row", matrix, cells],
      [backed(undefined, "row", matrix, cells)],
      {},
    ],
    ["some-zarr", "1,000 cells, Zarr v3 by cells", ["row", zarr, cells], [element("row", zarr, cells)], {}],
  ].map(([id, title, task, peers, more]) => ({
    ...{ ...BOTH, id: `parts-${id}`, title, section: "Parts: one gene, some cells, as Arrow" },
    ...{ ours: ours(...task), peers, same: "result", ...more },
  }));
}

function split({ input, out, ours }) {
  const matrix = input("matrix.h5ad");
  const once = ours("store", matrix, `${out("peer0")}.h5ad`, JSON.stringify({ compression: "gzip" }));
  return {
    ...{ ...BOTH, id: "parts-split", title: "30 values, their cells mixed", rounds: 3 },
    section: "Parts: a gzip .h5ad, split by a column to one gzip .h5ad for each value",
    ours: ours("split", matrix, out("ours"), "cell_type"),
    peers: [{ name: "annarrow, to one gzip .h5ad", command: once, aim: 2, atMost: true, bare: true }],
    memory: 400,
  };
}

function united({ input, out, ours, peer, floor }) {
  const common = { ...BOTH, section: "Parts: gzip .h5ad files of 5 M stored values put together, uncompressed" };
  const kinds = [
    { id: "same", title: "genes in one order", join: "inner", aim: 5 },
    { id: "other", title: "other genes in other orders", join: "outer", aim: 3 },
  ];
  const command = (by, side, { id, join }, ...more) =>
    by("concat", input(`concat/${id}`), `${out(side)}.h5ad`, join, ...more);
  const beside = kinds.map((kind) => ({
    ...{ ...common, id: `parts-concat-${kind.id}`, title: `20 files, ${kind.title}`, rounds: 3, memory: 300 },
    suffix: ".h5ad",
    ours: command(ours, "ours", kind),
    peers: [
      { name: "concat_on_disk", command: command(peer, "peer0", kind), aim: kind.aim },
      { name: FLOOR, command: command(floor, "peer1", kind), bare: true },
    ],
    // Of genes in other orders, concat_on_disk leaves the entries of a row as they lay in the input.
    same: "unsorted stores",
  }));
  const many = kinds.map((kind) => ({
    ...{ ...common, id: `parts-concat-200-${kind.id}`, title: `the 20 files ten times, ${kind.title}` },
    ...{ memory: 300, once: true, ours: command(ours, "ours", kind, "10"), peers: [] },
  }));
  return [...beside, ...many];
}

function ordered({ input, out, ours, peer, sizes }) {
  const options = JSON.stringify({ compression: "gzip", level: 4, order: "csc" });
  const [source, large] = [input("matrix.h5ad"), input("size-400.h5ad")];
  const common = { ...BOTH, section: "Parts: gzip .h5ad by cells to gzip .h5ad by genes", memory: 500 };
  const small = {
    ...{ ...common, id: "parts-csc", title: "55 M stored values", rounds: 3, suffix: ".h5ad", same: "stores" },
    ours: ours("store", source, `${out("ours")}.h5ad`, options),
    peers: [{ name: "scipy and anndata", command: peer("csc", source, `${out("peer0")}.h5ad`), aim: 3 }],
  };
  const big = {
    ...{ ...common, id: "parts-csc-400", title: "400 M stored values", once: true, peers: [] },
    ours: ours("store", large, `${out("ours")}.h5ad`, options),
  };
  return sizes.includes(400) ? [small, big] : [small];
}

/** The cases that read the matrices of 2 GB. */
export const KEPT_CASES = ["parts-keep-h5ad-h5ad", "parts-keep-zarr2-zarr2", "parts-keep-h5ad-zarr2"];

/** A copy of the bytes is the bound. All sides end when the disk has them. */
function kept({ input, out, cli }) {
  const flushed = (...command) => ["sh", "-c", '"$@" && sync', "sh", ...command];
  const copy = (name, side, from, suffix) => ({
    ...{ name, aim: 1.5, atMost: true, bare: true },
    command: flushed("cp", "-r", input(from), `${out(side)}${suffix}`),
  });
  const folderOfChunks = copy("cp -r of the folder, and sync", "peer1", "kept.h5ad.zarr", ".zarr");
  const [toHdf5, toZarr, hdf5ToZarr] = KEPT_CASES;
  return [
    [toHdf5, "gzip .h5ad to .h5ad", "kept.h5ad", ".h5ad", []],
    [toZarr, "Zarr v2, blosc, to Zarr v2", "kept.v2.zarr", ".zarr", []],
    [hdf5ToZarr, "gzip .h5ad to Zarr v2", "kept.h5ad", ".zarr", [folderOfChunks]],
  ].map(([id, title, name, suffix, more]) => ({
    ...{ id, title, suffix, section: "Parts: a store of 2 GB to another, its chunks as they are", clock: "whole" },
    ...{ memory: 250, keepsInodes: true, rounds: 3 },
    ours: flushed(...cli("convert", input(name), `${out("ours")}${suffix}`, "--compression", "keep")),
    peers: [copy("cp and sync", "peer0", name, suffix), ...more],
  }));
}
