// The cases of Loom, beside loompy.

import { fileURLToPath } from "node:url";
import { somePositions } from "../make/inputs.mjs";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Rows and columns that are read one after another. */
const SOME = 40;

/**
 * @param {{ input: (name: string) => string, out: (side: string) => string, dist: string, loomPython: string,
 *   shape: [number, number] }} setup  shape: cells and genes
 * @returns {import("../cases.mjs").Case[]}
 */
export function loomCases({ input, out, dist, loomPython, shape: [cells, genes] }) {
  const file = input("matrix.loom");
  const ours = (...args) => [process.execPath, here("../ours/ours-loom.mjs"), dist, ...args];
  const peer = (...args) => [loomPython, here("../peers/loom_peer.py"), ...args];
  const beside = (command, aim) => [{ name: "loompy", command, ...(aim === undefined ? {} : { aim }) }];
  const reads = (id, title, ourTask, task, aim, more) => ({
    id: `loom-${id}`,
    title,
    ours: ours(...ourTask),
    peers: beside(peer(...task), aim),
    same: "result",
    ...more,
  });
  const memory = { memory: 400 };

  const whole = [
    reads("batches", "to coordinate batches, one after the other", ["batches", file], ["sparse", file], 2, memory),
    reads("matrix", "to coordinate batches that stay in memory", ["matrix", file], ["sparse", file], 2),
  ].map((one) => ({ ...one, section: "Loom: the whole matrix, beside `ds.sparse()`" }));

  const middle = [String(genes >> 1), String(cells >> 1)];
  const rows = somePositions(SOME, genes).join(",");
  const cols = somePositions(SOME, cells).join(",");
  const parts = [
    reads("row-first", "the first row, dense", ["dense", file, middle[0]], ["row", file, middle[0]], 1),
    reads("row-first-entries", "the first row, its non-zeros", ["row", file, middle[0]], ["row", file, middle[0]], 1),
    reads("col-first", "the first column, its non-zeros", ["col", file, middle[1]], ["col", file, middle[1]], 1),
    reads("rows", `the median of ${SOME} rows, dense`, ["dense", file, rows], ["row", file, rows], 1),
    reads("rows-entries", `the median of ${SOME} rows, their non-zeros`, ["row", file, rows], ["row", file, rows], 1),
    reads("cols", `the median of ${SOME} columns, their non-zeros`, ["col", file, cols], ["col", file, cols], 1),
    reads(
      "cols-layout",
      `the median of ${SOME} columns in layout columns`,
      ["column", file, cols],
      ["col", file, cols],
      1,
    ),
  ].map((one) => ({ ...one, section: "Loom: one row `ds[i, :]`, one column `ds[:, j]`", ...memory }));

  const raw = input("matrix.raw.h5ad");
  const [written, beforehand] = [`${out("ours")}.loom`, `${out("peer0")}.loom`];
  const writing = [
    {
      id: "loom-write",
      title: "from a coordinate table in memory",
      ours: ours("write", raw, written, "coordinate"),
      peers: beside(peer("write", raw, beforehand), 1.5),
    },
    {
      id: "loom-write-list",
      title: "from lists in memory",
      ours: ours("write", raw, written, "list"),
      peers: beside(peer("write", raw, beforehand), 1.5),
    },
    {
      id: "loom-convert",
      title: "from uncompressed .h5ad",
      ours: ours("convert", raw, written),
      peers: beside(peer("convert", raw, beforehand), 1.5),
      ...memory,
    },
  ].map((one) => ({ ...one, section: "Loom: writing, beside `loompy.create`", suffix: ".loom", same: "looms" }));

  return [...whole, ...parts, ...writing].map((one) => ({ clock: "inside", ...one }));
}
