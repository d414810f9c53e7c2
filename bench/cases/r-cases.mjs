// The cases of R objects, beside R itself.

import { fileURLToPath } from "node:url";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/**
 * @param {{ input: (name: string) => string, out: (side: string) => string, dist: string, rscript: string }} setup
 *   rscript: the program that runs scripts of R
 * @returns {import("../cases.mjs").Case[]}
 */
export function rCases({ input, out, dist, rscript }) {
  const ours = (...args) => [process.execPath, here("../ours/ours-r.mjs"), dist, ...args];
  const peer = (...args) => [rscript, here("../peers/r_peer.R"), ...args];
  const file = input("matrix.rds");
  const memory = { memory: 400 };
  return [
    {
      id: "r-read",
      section: "R: a Seurat object (gzip .rds), beside `readRDS`",
      title: "opened, its X in coordinate batches, one after the other",
      ours: ours("batches", file),
      peers: [{ name: "readRDS", command: peer("read", file), aim: 3 }],
      same: "result",
      ...memory,
    },
    {
      id: "r-write",
      section: "R: gzip .h5ad to a Seurat object (gzip .rds), beside `saveRDS`",
      title: "from gzip .h5ad; R has the object in memory",
      ours: ours("convert", input("matrix.h5ad"), `${out("ours")}.rds`),
      peers: [{ name: "saveRDS", command: peer("write", file, `${out("peer0")}.rds`), aim: 2, bare: true }],
      suffix: ".rds",
      ...memory,
    },
  ].map((one) => ({ clock: "inside", ...one }));
}
