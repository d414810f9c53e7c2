// The cases of the Python package: tables in pyarrow, beside anndata in the same Python, and a matrix in Spark.

import { fileURLToPath } from "node:url";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/**
 * @param {{ input: (name: string) => string, out: (side: string) => string, wheelPython: string }} setup
 *   wheelPython: one with the wheel (scripts/python-wheel.mjs) and what peer.py imports
 * @returns {import("../cases.mjs").Case[]}
 */
export function pythonCases({ input, out, wheelPython }) {
  const tables = [
    { id: "python-entries", title: "X, 55 M entries in coordinates", task: "entries", file: "matrix.h5ad", aim: 1 },
    { id: "python-obs", title: "obs, 1 M rows", task: "obs", file: "obs.h5ad", aim: 2 },
  ].map(({ id, title, task, file, aim }) => ({
    ...{ id, title, section: "Python: to a pyarrow table", clock: "inside", bothClocks: true, same: "result" },
    ours: [wheelPython, here("../ours/ours_python.py"), task, input(file)],
    peers: [{ name: "anndata, pyarrow", command: [wheelPython, here("../peers/peer.py"), task, input(file)], aim }],
  }));
  const spark = (task, side) => [wheelPython, here("../peers/spark_peer.py"), task, input("matrix.h5ad"), out(side)];
  return [
    ...tables,
    {
      ...{
        id: "python-spark",
        title: "sums of 55 M entries by gene, local[2]",
        section: "Python: Spark",
        clock: "inside",
      },
      ours: spark("ours", "ours"),
      peers: [
        { name: "anndata in mapInPandas", command: spark("pandas", "peer0"), aim: 3 },
        { name: "annarrow convert, then Spark on Parquet", command: spark("parquet", "peer1"), aim: 1.5, atMost: true },
      ],
      rounds: 3,
      same: "result",
    },
  ];
}
