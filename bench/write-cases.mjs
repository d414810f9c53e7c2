// The cases of writing stores: from tables in memory, and from one store to another.

import { somePositions } from "./inputs.mjs";

/**
 * @param {{ input: (name: string) => string, out: (side: string) => string, ours: (...args: string[]) => string[],
 *   peer: (...args: string[]) => string[], floor: (...args: string[]) => string[], cli: (...args: string[]) => string[],
 *   sizes: number[], peerScaling: boolean, rounds: number, shape: [number, number] }} setup
 * @returns {import("./cases.mjs").Case[]}
 */
export function writeCases({ input, out, ours, peer, floor, cli, sizes, peerScaling, rounds, shape }) {
  const raw = input("matrix.raw.h5ad");
  const store = { clock: "inside", same: "stores" };

  // Both sides hold X, obs and var in memory before the clock starts: 8 bytes a value in list layout and in scipy's
  // arrays, 12 in coordinate layout.
  const writes = (id, title, layout, form, aim, peers, more) => {
    const { suffix, options, theirs } = FORMS[form];
    const anndata = peer("write", raw, `${out("peer0")}${suffix}`, ...theirs);
    return {
      ...store,
      id,
      title,
      section: "X, obs and var in memory to a store",
      suffix,
      ours: ours("write", raw, `${out("ours")}${suffix}`, layout, JSON.stringify(options)),
      peers: [{ name: "anndata", command: anndata, aim }, ...peers],
      ...more,
    };
  };
  const disk = {
    name: "as many bytes to the disk",
    command: peer("disk", raw, out("peer1")),
    aim: 1.2,
    atMost: true,
    bare: true,
  };
  const written = [
    writes("write-gzip", ".h5ad, gzip 4, from a coordinate table", "coordinate", "gzip", 2.2, [], { smaller: 1.02 }),
    writes("write-gzip-list", ".h5ad, gzip 4, from lists", "list", "gzip", 2.2, [], { smaller: 1.02 }),
    writes("write-raw", ".h5ad, uncompressed, from lists", "list", "raw", undefined, [disk], {}),
    writes("write-zarr2", "Zarr v2, blosc, from lists", "list", "zarr2", undefined, [], {}),
    writes("write-zarr3", "Zarr v3, sharded zstd, from lists", "list", "zarr3", 1, [], {}),
  ];

  const converts = (id, title, name, form, aim, more) => {
    const { suffix, options, theirs } = FORMS[form];
    return {
      ...store,
      id,
      title,
      section: "One store to another",
      suffix,
      ours: ours("store", input(name), `${out("ours")}${suffix}`, JSON.stringify(options)),
      peers: [{ name: "anndata", command: peer("store", input(name), `${out("peer0")}${suffix}`, ...theirs), aim }],
      memory: 400,
      ...more,
    };
  };
  const converted = [
    converts("h5ad-zarr3", "gzip .h5ad to Zarr v3, sharded zstd", "matrix.h5ad", "zarr3", 1, {}),
    converts("zarr3-h5ad", "Zarr v3, sharded zstd to gzip .h5ad", "matrix.v3.zarr", "gzip", 2.2, { smaller: 1.02 }),
    converts("h5ad-h5ad", "uncompressed .h5ad to gzip .h5ad", "matrix.raw.h5ad", "gzip", 2.2, { smaller: 1.02 }),
  ];

  const order = {
    ...converts("h5ad-csc", "gzip .h5ad by cells to gzip .h5ad by genes", "matrix.h5ad", "csc", 3, {}),
    memory: 500,
    peers: [{ name: "scipy and anndata", command: peer("csc", input("matrix.h5ad"), `${out("peer0")}.h5ad`), aim: 3 }],
  };
  const part = (id, title, axis, count, aim, more) => ({
    id,
    title,
    section: "A part of a store",
    ...store,
    suffix: ".h5ad",
    ours: ours("part", input("matrix.h5ad"), `${out("ours")}.h5ad`, axis, count),
    peers: [
      { name: "anndata", command: peer("part", input("matrix.h5ad"), `${out("peer0")}.h5ad`, axis, count), aim },
      {
        name: "only inflating, filtering, deflating and writing of the entries (`floor-parts.mjs`)",
        command: floor("part", input("matrix.h5ad"), `${out("peer1")}.h5ad`, axis, count),
        bare: true,
      },
    ],
    ...more,
  });
  const [cells, genes] = [somePositions(shape[0] / 10, shape[0]), somePositions(shape[1] / 10, shape[1])].map(String);
  const parts = [
    part("part-cells", "a tenth of the cells, gzip .h5ad to gzip .h5ad", "obs", cells, 5, { memory: 200 }),
    part("part-genes", "a tenth of the genes, gzip .h5ad to gzip .h5ad", "var", genes, 3.5, {}),
  ];
  const splitting = {
    id: "split-30",
    title: "gzip .h5ad by a column of 30 values, whose cells lie mixed, to 30 gzip .h5ad",
    section: "One store to many",
    clock: "inside",
    suffix: "",
    ours: ours("split", input("matrix.h5ad"), out("ours"), "cell_type"),
    peers: [
      {
        name: "our conversion to one .h5ad",
        command: ours("store", input("matrix.h5ad"), `${out("peer0")}.h5ad`, JSON.stringify({ compression: "gzip" })),
        aim: 2,
        atMost: true,
        bare: true,
      },
      { name: "anndata", command: peer("split", input("matrix.h5ad"), out("peer1"), "cell_type"), bare: true },
    ],
    memory: 400,
  };

  // A copy of the bytes is the bound. All sides end when the disk has them.
  const flushed = (...command) => ["sh", "-c", '"$@" && sync', "sh", ...command];
  const copied = (side, name, suffix) => flushed("cp", "-r", input(name), `${out(side)}${suffix}`);
  const folderOfChunks = {
    name: "cp -r of the folder, and sync",
    command: copied("peer1", "kept.h5ad.zarr", ".zarr"),
    ...{ aim: 1.5, atMost: true, bare: true },
  };
  // The case with the most files is the last: see `clear` in run.mjs.
  const kept = [
    ["keep-h5ad-h5ad", "gzip .h5ad of 2 GB to .h5ad, chunks kept", "kept.h5ad", ".h5ad", []],
    ["keep-zarr2-zarr2", "Zarr v2 of 2 GB, blosc, to Zarr v2, chunks kept", "kept.v2.zarr", ".zarr", []],
    ["keep-h5ad-zarr2", "gzip .h5ad of 2 GB to Zarr v2, chunks kept", "kept.h5ad", ".zarr", [folderOfChunks]],
  ].map(([id, title, name, suffix, more]) => {
    const command = cli("convert", input(name), `${out("ours")}${suffix}`, "--compression", "keep");
    const copy = { name: "cp and sync", command: copied("peer0", name, suffix), aim: 1.5, atMost: true, bare: true };
    return {
      ...{ id, title, suffix, section: "One store to another, its chunks as they are", clock: "whole", memory: 250 },
      ...{ keepsInodes: true, rounds: Math.min(rounds, 3) },
      ours: flushed(...command),
      peers: [copy, ...more],
    };
  });

  const scaling = [
    ["store-gzip", "gzip .h5ad to gzip .h5ad", "gzip"],
    ["store-zarr3", "gzip .h5ad to Zarr v3, sharded zstd", "zarr3"],
  ].flatMap(([id, title, form]) =>
    sizes
      .filter((millions) => millions >= LEAST_MILLIONS)
      .map((millions) => {
        const name = `${millions} M stored values`;
        const one = converts(`${id}-${millions}`, name, `size-${millions}.h5ad`, form, undefined, { millions });
        const times = millions >= 100 ? Math.min(rounds, 3) : rounds;
        return { ...one, peers: peerScaling ? one.peers : [], rounds: times, section: `Scaling: ${title}` };
      }),
  );
  return [...written, ...converted, order, ...parts, splitting, ...kept, ...scaling];
}

/** The cases that read the matrices of 2 GB. */
export const KEPT_CASES = ["keep-h5ad-h5ad", "keep-zarr2-zarr2", "keep-h5ad-zarr2"];

/** Smaller ones say little of how memory grows. */
const LEAST_MILLIONS = 50;

/** How a store is written: its name's end, our options, and the peer's arguments. */
const FORMS = {
  gzip: { suffix: ".h5ad", options: { compression: "gzip", level: 4 }, theirs: ["gzip"] },
  raw: { suffix: ".h5ad", options: { compression: "none" }, theirs: ["none"] },
  csc: { suffix: ".h5ad", options: { compression: "gzip", level: 4, order: "csc" }, theirs: ["gzip"] },
  zarr2: { suffix: ".zarr", options: { zarrFormat: 2 }, theirs: ["zarr2"] },
  zarr3: { suffix: ".zarr", options: { zarrFormat: 3 }, theirs: ["zarr3"] },
};
