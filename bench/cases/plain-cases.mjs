// The cases of plain HDF5 and of pandas' HDFStore, beside h5py, pandas and pyarrow.

import { fileURLToPath } from "node:url";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/**
 * @param {{ input: (name: string) => string, out: (side: string) => string, dist: string, tablesPython: string }} setup
 * @returns {import("../cases.mjs").Case[]}
 */
export function plainCases({ input, out, dist, tablesPython }) {
  const ours = (...args) => [process.execPath, here("../ours/ours-plain.mjs"), dist, ...args];
  const peer = (...args) => [tablesPython, here("../peers/plain_peer.py"), ...args];

  const arrays = [
    ["array", "gzip 4 with shuffle, chunks of 64 Ki values"],
    ["array.raw", "in one piece"],
  ].map(([name, title]) => ({
    id: `plain-${name}`,
    section: "HDF5: an array of 1 GiB of doubles to Parquet (zstd)",
    title,
    clock: "inside",
    ours: ours("parquet", input(`${name}.h5`), "values", `${out("ours")}.parquet`),
    peers: [
      {
        name: "h5py, pyarrow",
        command: peer("parquet", input(`${name}.h5`), "values", `${out("peer0")}.parquet`),
        aim: 2,
      },
    ],
    suffix: ".parquet",
    same: "files",
    memory: 400,
    rounds: 3,
  }));

  const compressions = [
    ["none", "uncompressed"],
    ["zlib", "zlib 5"],
    ["blosc", "blosc 5"],
  ];
  const frame = (form, name, title) => {
    const store = input(`${form}-${name}.h5`);
    return [
      {
        id: `hdfstore-${form}-${name}`,
        section: "pandas' HDFStore: a frame of 1 M rows, 8 columns, to memory",
        title: `${form}, ${title}: Arrow batches`,
        clock: "inside",
        ours: ours("batches", store, "frame"),
        peers: [{ name: "pandas.read_hdf", command: peer("frame", store, "frame"), aim: 2 }],
        same: "result",
        memory: 400,
      },
      {
        id: `hdfstore-${form}-${name}-parquet`,
        section: "pandas' HDFStore: a frame of 1 M rows, 8 columns, to Parquet (zstd)",
        title: `${form}, ${title}`,
        clock: "inside",
        ours: ours("parquet", store, "frame", `${out("ours")}.parquet`),
        peers: [
          {
            name: "pandas.read_hdf, pyarrow",
            command: peer("frame-parquet", store, "frame", `${out("peer0")}.parquet`),
            aim: 2,
          },
        ],
        suffix: ".parquet",
        same: "files",
        memory: 400,
      },
    ];
  };
  const frames = ["table", "fixed"].flatMap((form) =>
    compressions.flatMap(([name, title]) => frame(form, name, title)),
  );
  return [...arrays, ...frames];
}
