// The cases of the Python package: tables in pyarrow, beside anndata in the same Python.

import { fileURLToPath } from "node:url";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/**
 * @param {{ input: (name: string) => string, wheelPython: string }} setup
 *   wheelPython: one with the wheel (scripts/python-wheel.mjs) and what peer.py imports
 * @returns {import("./cases.mjs").Case[]}
 */
export function pythonCases({ input, wheelPython }) {
  return [
    { id: "python-entries", title: "X, 55 M entries in coordinates", task: "entries", file: "matrix.h5ad", aim: 1 },
    { id: "python-obs", title: "obs, 1 M rows", task: "obs", file: "obs.h5ad", aim: 2 },
  ].map(({ id, title, task, file, aim }) => ({
    ...{ id, title, section: "Python: to a pyarrow table", clock: "inside", bothClocks: true, same: "result" },
    ours: [wheelPython, here("ours_python.py"), task, input(file)],
    peers: [{ name: "anndata, pyarrow", command: [wheelPython, here("peer.py"), task, input(file)], aim }],
  }));
}
