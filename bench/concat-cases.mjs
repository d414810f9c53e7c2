// The cases of putting files together.

/**
 * @param {{ input: (name: string) => string, out: (side: string) => string, ours: (...args: string[]) => string[],
 *   peer: (...args: string[]) => string[], floor: (...args: string[]) => string[] }} setup
 * @returns {import("./cases.mjs").Case[]}
 */
export function concatCases({ input, out, ours, peer, floor }) {
  return [
    ["concat-same", "genes in one order", "same", "inner", 5],
    ["concat-other", "other genes in other orders", "other", "outer", 3],
  ].map(([id, title, name, join, aim]) => ({
    id,
    title,
    section: "20 gzip .h5ad files of 5 M stored values to one, uncompressed",
    clock: "inside",
    suffix: ".h5ad",
    ours: ours("concat", input(`concat/${name}`), `${out("ours")}.h5ad`, join),
    peers: [
      {
        name: "anndata.experimental.concat_on_disk",
        command: peer("concat", input(`concat/${name}`), `${out("peer0")}.h5ad`, join),
        aim,
      },
      {
        name: "only inflating, moving and writing of the entries (`floor-parts.mjs`)",
        command: floor("concat", input(`concat/${name}`), `${out("peer1")}.h5ad`, join),
        bare: true,
      },
    ],
    // Of genes in other orders, concat_on_disk leaves the entries of a row as they lay in the input.
    same: "unsorted stores",
    memory: 300,
  }));
}
