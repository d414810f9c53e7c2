// The cases of unions: many files as one folder of Parquet, and the plan of ten thousand files.

import { fileURLToPath } from "node:url";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/** The 20 files of concat/other are taken twice. */
const TIMES = 2;
const FILES = 20 * TIMES;

/** Names of files in union-many (make_union.py). */
const MANY = 10_000;

/**
 * @param {{ input: (name: string) => string, out: (side: string) => string, ours: (...args: string[]) => string[],
 *   floor: (...args: string[]) => string[], python: string, somaPython?: string, rounds: number, values: number }} setup
 *   values: the stored ones of the matrix, of which a file has an eleventh
 * @returns {import("../cases.mjs").Case[]}
 */
export function unionCases({ input, out, ours, floor, python, somaPython, rounds, values }) {
  const folder = input("concat/other");
  const peer = (by, task, side) => [by, here("../peers/union_peer.py"), task, folder, String(TIMES), out(side)];
  const entries = Math.ceil(values / 11) * FILES;
  const common = { clock: "inside", bothClocks: true, rounds: Math.min(rounds, 3) };
  return [
    {
      ...{ ...common, id: "union-files", title: `${FILES} files, other genes in other orders` },
      section: "Unions: gzip .h5ad files of 5 M stored values as one folder of Parquet",
      ours: ours("union", folder, out("ours"), String(TIMES)),
      peers: [
        { name: "concat_on_disk, then pyarrow", command: peer(python, "concat", "peer0"), aim: 5 },
        {
          name: "inflating, moving, encoding, writing of entries (`floor-parts.mjs`)",
          command: floor("union", folder, out("peer1"), String(TIMES)),
          bare: true,
        },
        ...(somaPython === undefined
          ? []
          : [
              {
                name: "TileDB-SOMA, registered",
                command: peer(somaPython, "soma", "peer2"),
                ...{ aim: 5, bare: true },
              },
            ]),
      ],
      rates: [{ count: entries, unit: "entries", least: 60e6 }],
      memory: 512,
      same: "unions",
    },
    {
      ...{ ...common, id: "union-plan", title: `${MANY.toLocaleString("en")} small files`, once: true, peers: [] },
      section: "Unions: the plan, by metadata alone",
      ours: ours("plan", input("union-many"), out("ours")),
      rates: [{ count: MANY, unit: "files", least: MANY / 60 }],
      memory: 300,
    },
    {
      ...{ id: "union-task", title: `10 of ${MANY.toLocaleString("en")} files`, clock: "inside", rounds: 1 },
      section: "Unions: one task, whose time shall not grow with the number of files",
      ours: ours("task", input("union-many"), out("ours"), String(MANY)),
      peers: [
        {
          name: "annarrow, 10 of 100 files",
          command: ours("task", input("union-many"), out("peer0"), "100"),
          ...{ aim: 1.25, atMost: true, bare: true },
        },
      ],
    },
  ];
}
