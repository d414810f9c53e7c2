// Every case: our command, those of its peers, what is aimed at, and what is compared.

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bpcellsCases } from "./cases/bpcells-cases.mjs";
import { flightCases } from "./cases/flight-cases.mjs";
import { loomCases } from "./cases/loom-cases.mjs";
import { matlabCases } from "./cases/matlab-cases.mjs";
import { partsCases } from "./cases/parts-cases.mjs";
import { plainCases } from "./cases/plain-cases.mjs";
import { pythonCases } from "./cases/python-cases.mjs";
import { queryCases } from "./cases/query-cases.mjs";
import { rCases } from "./cases/r-cases.mjs";
import { unionCases } from "./cases/union-cases.mjs";
import { writeCases } from "./cases/write-cases.mjs";

/** Of the matrix, each a row of 12 bytes in coordinate layout. */
const STORED_VALUES = 55e6;

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/**
 * @typedef {object} Case
 * @property {string} id
 * @property {string} section
 * @property {string} title
 * @property {"inside" | "whole"} clock which of a process's two times is the case's
 * @property {string[]} ours
 * @property {{ name: string, command: string[], aim?: number, atMost?: boolean, bare?: boolean, flaky?: boolean }[]}
 *   peers aim: how many times as fast ours shall be; or, where `atMost`, how many times the peer's time it may take.
 *   bare: what the peer writes is no result to compare. flaky: the peer may crash, and is then run again
 * @property {boolean | number} [smaller] whether what ours writes shall not be larger than what the first peer does; or
 *   how many times as large it may be
 * @property {string} [suffix] of the names that are written
 * @property {number} [memory] aim of the peak resident size, MiB
 * @property {number} [beyond] aim of our time beyond that of the only peer, which does nothing, seconds
 * @property {{ count: number, unit: string, least: number }[]} [rates] aims: how many a second at least
 * @property {{ seconds: number, of: string }[]} [within] aims: what was measured elsewhere
 * @property {boolean} [cores] whether to tell how many cores were busy
 * @property {string} [sum] aim: at most the time of the first two peers together, which are named so
 * @property {number} [sumFactor] how many times this time it may be
 * @property {"files" | "stores" | "unsorted stores" | "packed" | "looms" | "mats" | "unions" | "result"} [same] what must be equal on all sides
 * @property {number} [rounds]
 * @property {boolean} [once] whether one round is all, without one before it that does not count
 * @property {boolean} [bothClocks] whether the aims beside peers hold for the whole process, too
 * @property {boolean} [keepsInodes] whether written files are emptied after a round, and removed after all cases
 * @property {number} [millions] stored values, of the scaling cases
 */

/**
 * @param {{ python: string, dist: string, folder: string, sizes: number[], peerScaling: boolean, rounds: number,
 *   shape: [number, number], values: number, flight: boolean, bpcellsPython?: string, rLibrary?: string, loomPython?: string, matPython?: string,
 *   somaPython?: string, wheelPython?: string, rscript?: string, tablesPython?: string }} setup
 *   shape: cells and genes of the matrix; values: the stored ones; flight: whether there
 *   are cases of Arrow Flight; bpcellsPython, loomPython, matPython: without them there are none of BPCells, Loom and
 *   MATLAB; somaPython: without it TileDB-SOMA is no peer; wheelPython: without it there are none of the Python package;
 *   rscript: without it there are none of R objects; tablesPython: nor of plain HDF5
 * @returns {Case[]}
 */
export function casesOf({ python, dist, folder, sizes, peerScaling, rounds, shape, values, flight, ...pythons }) {
  const { bpcellsPython, rLibrary, loomPython, matPython, somaPython, wheelPython, rscript, tablesPython } = pythons;
  const input = (name) => join(folder, name);
  const out = (side) => input(join("out", side));
  const ours = (...args) => [process.execPath, here("ours/ours.mjs"), dist, ...args];
  const peer = (...args) => [python, here("peers/peer.py"), ...args];
  const floor = (...args) => [process.execPath, here("floor/floor-parts.mjs"), ...args];
  const cli = (...args) => [process.execPath, join(dist, "cli", "main.js"), ...args];
  const short = { rounds: Math.max(rounds, 10) };
  const node = { name: "node -e 0", command: [process.execPath, "-e", "0"] };
  const example = here("../examples/pbmc.h5ad");

  const converts = (id, title, name, form, more) => ({
    id,
    title,
    clock: "inside",
    ours: ours("convert", input(name), out("ours"), form),
    peers: [{ name: "anndata, pyarrow", command: peer("convert", input(name), out("peer0"), form), aim: 3.5 }],
    same: "files",
    ...more,
  });
  const reads = (id, title, task, source, peers, more) => ({
    id,
    title,
    clock: "inside",
    ours: ours(...task),
    peers: peers.map(([name, aim, ...args]) => ({ name, command: peer(args[0], source, ...args.slice(1)), aim })),
    same: "result",
    ...more,
  });

  const matrix = input("matrix.h5ad");
  const parquet = [
    converts("parquet-gzip", "gzip", "matrix.h5ad", "parquet", { memory: 250 }),
    converts("parquet-lzf", "LZF", "matrix.lzf.h5ad", "parquet"),
    converts("parquet-raw", "uncompressed", "matrix.raw.h5ad", "parquet"),
    converts("parquet-v2", "Zarr v2, blosc", "matrix.v2.zarr", "parquet"),
    converts("parquet-v3", "Zarr v3, sharded zstd", "matrix.v3.zarr", "parquet"),
  ].map((one) => ({ ...one, section: "X, obs and var of the matrix to Parquet (zstd)", smaller: true }));

  const ipc = converts("ipc-gzip", "gzip", "matrix.h5ad", "arrow");
  const written = [
    { ...ipc, section: "The same to Arrow IPC files", peers: ipc.peers.map(({ aim: _, ...one }) => one) },
    {
      id: "table",
      section: "Coordinate table in memory to Parquet (zstd)",
      title: "three typed arrays",
      clock: "inside",
      ours: ours("table", input("coordinate"), out("ours")),
      peers: [
        { name: "pyarrow", command: peer("pyarrow", input("coordinate"), out("peer0")), aim: 3 },
        { name: "polars", command: peer("polars", input("coordinate"), out("peer1")), aim: 2 },
      ],
      smaller: true,
      same: "files",
    },
  ];

  const read = (source, aim) => [source, [["anndata", aim, "matrix"]]];
  const memory = [
    reads("batches-gzip", "gzip", ["matrix", matrix], ...read(matrix, 2.3)),
    ...[
      ["batches-lzf", "LZF", "matrix.lzf.h5ad"],
      ["batches-v2", "Zarr v2, blosc", "matrix.v2.zarr"],
      ["batches-v3", "Zarr v3, sharded zstd", "matrix.v3.zarr"],
    ].map(([id, title, name]) => reads(id, title, ["matrix", input(name)], ...read(input(name), 1.8))),
    {
      ...reads("list-raw", "uncompressed, list layout", ["list", input("matrix.raw.h5ad")], input("matrix.raw.h5ad"), [
        ["h5py", 1.2, "arrays"],
      ]),
    },
    {
      id: "floor",
      title: "two workers that give as much memory and decode nothing (`floor.mjs`)",
      clock: "inside",
      ours: [process.execPath, here("floor/floor.mjs"), String(12 * STORED_VALUES)],
      peers: [],
    },
    {
      id: "floor-read",
      title: "two workers that read as many bytes as the uncompressed matrix has, and nothing else (`floor.mjs`)",
      clock: "inside",
      ours: [process.execPath, here("floor/floor.mjs"), String(8 * STORED_VALUES), input("matrix.raw.h5ad")],
      peers: [],
    },
  ].map((one) => ({ ...one, section: "X to Arrow batches in memory" }));
  for (const one of memory) if (one.id === "list-raw") one.peers[0].atMost = true;

  const frames = [
    reads("obs", "obs, 1 M rows", ["obs", input("obs.h5ad")], input("obs.h5ad"), [["anndata, pyarrow", 2, "obs"]]),
  ].map((one) => ({ ...one, section: "Dataframe to an Arrow table" }));

  const commands = [
    { id: "help", title: "`annarrow --help`", ours: cli("--help"), peers: [node], ...short },
    {
      id: "inspect",
      title: "`annarrow inspect examples/pbmc.h5ad`",
      ours: cli("inspect", example),
      peers: [node],
      beyond: 0.15,
      ...short,
    },
    {
      id: "command",
      title: "`annarrow convert matrix.h5ad out/ --to parquet`",
      ours: cli("convert", matrix, `${out("ours")}/`, "--to", "parquet"),
      peers: [{ name: "anndata, pyarrow", command: peer("convert", matrix, out("peer0"), "parquet"), aim: 3 }],
      memory: 250,
      same: "files",
    },
  ].map((one) => ({ ...one, clock: "whole", section: "Whole commands" }));

  const scaling = sizes.map((millions) => {
    const name = `size-${millions}.h5ad`;
    const one = converts(`size-${millions}`, `${millions} M stored values`, name, "parquet", { millions });
    const peers = peerScaling ? one.peers.map(({ aim: _, ...rest }) => rest) : [];
    const times = millions >= 100 ? Math.min(rounds, 3) : rounds;
    return { ...one, peers, rounds: times, section: "Scaling: gzip h5ad to Parquet (zstd)" };
  });

  const stores = writeCases({ input, out, ours, peer, sizes, peerScaling, rounds });
  const inBpcells = { input, out, dist, bpcellsPython, rLibrary, shape, values };
  const bpcells = bpcellsPython === undefined ? [] : bpcellsCases(inBpcells);
  const loom = loomPython === undefined ? [] : loomCases({ input, out, dist, loomPython, shape });
  const matlab = matPython === undefined ? [] : matlabCases({ input, out, dist, matPython });
  const served = flight ? flightCases({ input, dist, python, values }) : [];
  const parts = partsCases({ input, out, ours, peer, floor, cli, sizes, rounds, shape });
  const unions = unionCases({ input, out, ours, floor, python, somaPython, rounds, values });
  const queries = queryCases({ input, out, cli, python, dist, sizes, rounds });
  const inPython = wheelPython === undefined ? [] : pythonCases({ input, out, wheelPython });
  const inR = rscript === undefined ? [] : rCases({ input, out, dist, rscript });
  const plain = tablesPython === undefined ? [] : plainCases({ input, out, dist, tablesPython });
  const others = [
    ...plain,
    ...inPython,
    ...inR,
    ...stores,
    ...parts,
    ...unions,
    ...queries,
    ...bpcells,
    ...loom,
    ...matlab,
    ...served,
  ];
  return [...parquet, ...written, ...memory, ...frames, ...commands, ...scaling, ...others];
}
