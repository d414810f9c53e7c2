// The cases of Arrow Flight: pyarrow as the client of `annarrow serve`, and of a server of pyarrow.

import { fileURLToPath } from "node:url";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Of a row of the matrix in coordinate layout. */
const ROW_BYTES = 12;

/**
 * @param {{ input: (name: string) => string, dist: string, python: string, values: number }} setup  values: the stored
 *   ones of the matrix
 * @returns {import("../cases.mjs").Case[]}
 */
export function flightCases({ input, dist, python, values }) {
  const client = (task, ...server) => [python, here("../peers/flight_client.py"), task, ...server];
  const ours = (task, file) => client(task, "annarrow", process.execPath, dist, file);
  const pyarrow = (task, file) => ({
    name: "a pyarrow server, from memory",
    command: client(task, "pyarrow", file),
  });
  const files = [
    ["gzip", "gzip", input("matrix.h5ad")],
    ["raw", "uncompressed", input("matrix.raw.h5ad")],
  ];

  const streams = files.map(([id, title, file]) => ({
    id: `flight-${id}`,
    section: "Flight: the whole matrix to one client, endpoint by endpoint",
    title,
    ours: ours("stream", file),
    peers: [
      pyarrow("stream", file),
      {
        name: "annarrow: batches in memory, nothing sent",
        command: [process.execPath, here("../ours/ours-flight.mjs"), dist, file],
      },
    ],
    rates: [{ count: ROW_BYTES * values, unit: "bytes", least: 300e6 }],
    sum: "the pyarrow server and the decoding",
  }));
  const parallel = files.map(([id, title, file]) => ({
    id: `flight-two-${id}`,
    section: "Flight: two endpoints at a time",
    title,
    ours: ours("two", file),
    peers: [
      { name: "annarrow: one at a time", command: ours("stream", file), aim: 1.5 },
      pyarrow("two", file),
      { ...pyarrow("stream", file), name: "a pyarrow server, from memory: one at a time" },
    ],
    cores: true,
  }));
  const [, , packed] = files[0];
  const sql = {
    ...{ id: "flight-sql", section: "Flight SQL: the whole matrix to ADBC", title: "select * from X, gzip" },
    ours: ours("sql", packed),
    peers: [
      { name: "annarrow: endpoint by endpoint, without SQL", command: ours("stream", packed) },
      pyarrow("stream", packed),
    ],
    rates: [{ count: ROW_BYTES * values, unit: "bytes", least: 300e6 }],
  };
  const many = [
    ["clients", "50 clients at the same time, ten of them slow", { memory: 300 }],
    ["requests", "1,000 requests of ten rows at the same time", {}],
  ].map(([task, title, more]) => ({
    id: `flight-${task}`,
    section: "Flight: many clients",
    title,
    ours: ours(task, packed),
    peers: [pyarrow(task, packed)],
    ...more,
  }));
  return [...streams, sql, ...parallel, ...many].map((one) => ({ clock: "inside", same: "result", ...one }));
}
