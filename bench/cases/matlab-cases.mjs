// The cases of MATLAB, beside mat73, hdf5storage and h5py.

import { fileURLToPath } from "node:url";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/**
 * @param {{ input: (name: string) => string, out: (side: string) => string, dist: string, matPython: string }} setup
 * @returns {import("../cases.mjs").Case[]}
 */
export function matlabCases({ input, out, dist, matPython }) {
  const ours = (...args) => [process.execPath, here("../ours/ours-matlab.mjs"), dist, ...args];
  const peer = (...args) => [matPython, here("../peers/matlab_peer.py"), ...args];
  const memory = { memory: 400 };
  const libraries = ["mat73", "hdf5storage"];

  const dense = [
    ["dense", "gzip 3"],
    ["dense.raw", "uncompressed"],
  ].map(([name, title]) => ({
    id: `mat-${name}`,
    section: "MATLAB: a matrix of 1 GiB to Arrow batches",
    title,
    ours: ours("dense", input(`${name}.mat`), "dense"),
    peers: libraries.map((library) => ({
      name: `${library}, pyarrow`,
      command: peer("dense", library, input(`${name}.mat`)),
      aim: 2,
    })),
    same: "result",
    rounds: 1,
    ...memory,
  }));

  const loads = (name, of) =>
    of.map((library) => ({ name: library, command: peer("file", library, input(`${name}.mat`)), aim: 5 }));
  const references = [
    ["eeg", "6,147 references: 960 events, 32 channels", ["mat73"]],
    ["epochs", "6,411 references: 640 events, 64 channels, 600 cells", ["mat73"]],
    ["epochs.small", "663 references, of the same kinds", libraries],
  ].map(([name, title, of]) => ({
    id: `mat-${name}`,
    section: "MATLAB: every table of a file with references",
    title,
    ours: ours("file", input(`${name}.mat`)),
    peers: loads(name, of),
    ...memory,
  }));
  const commands = [
    {
      id: "mat-command",
      section: "MATLAB: whole commands",
      title: "`annarrow convert eeg.mat out/ --to arrow`",
      clock: "whole",
      ours: [process.execPath, `${dist}/cli/main.js`, "convert", input("eeg.mat"), `${out("ours")}/`, "--to", "arrow"],
      peers: [{ name: "mat73", command: peer("file", "mat73", input("eeg.mat")) }],
      ...memory,
    },
  ];

  const reads = ["sparse", "sparse.raw"].flatMap((name) =>
    ["coordinate", "list"].map((layout) => ({
      id: `mat-${name}-${layout}`,
      section: "MATLAB: a sparse matrix of 55 M entries to Arrow batches",
      title: `${name === "sparse" ? "gzip 3" : "uncompressed"}, ${layout === "list" ? "lists" : "coordinates"}`,
      ours: ours("sparse", input(`${name}.mat`), layout),
      peers: [{ name: "h5py", command: peer("arrays", input(`${name}.mat`)), aim: 1 }],
      same: "result",
      ...memory,
    })),
  );
  const writes = [
    ["gzip", "coordinate"],
    ["none", "coordinate"],
    ["none", "list"],
  ].map(([compression, layout]) => ({
    id: `mat-write-${compression}-${layout}`,
    section: "MATLAB: the sparse matrix from memory to a file",
    title: `${compression === "gzip" ? "gzip 3" : "uncompressed"}, from ${layout === "list" ? "lists" : "coordinates"}`,
    ours: ours("write", input("sparse.raw.mat"), `${out("ours")}.mat`, layout, compression),
    peers: [
      {
        name: "h5py",
        command: peer("write", input("sparse.raw.mat"), `${out("peer0")}.mat`, compression),
        aim: 1,
      },
    ],
    suffix: ".mat",
    same: "mats",
    rounds: 1,
  }));
  return [...dense, ...references, ...commands, ...reads, ...writes].map((one) => ({ clock: "inside", ...one }));
}
