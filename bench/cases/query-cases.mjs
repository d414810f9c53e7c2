// The cases of statements: what is read for them, the start of the engines, copies by genes, disks and buckets.

import { fileURLToPath } from "node:url";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

const GENE = "7";
const ENGINES = ["native", "wasm"];
/** Of the whole command, seconds. */
const START = { native: 0.3, wasm: 0.6 };

/** The inputs that are made by our own commands: the name, and the command that makes it. */
export const QUERY_INPUTS = [
  ["size-400.parquet", ["convert", "size-400.h5ad", "size-400.parquet", "--to", "parquet", "--elements", "X"]],
  ["companions", ["index", "size-400.h5ad", "--cache", "companions"]],
  ["size-400.h5ad.annarrow", ["index", "size-400.h5ad", "--beside"]],
];

/**
 * @param {{ input: (name: string) => string, out: (side: string) => string, cli: (...args: string[]) => string[],
 *   peer: (...args: string[]) => string[], python: string, dist: string, sizes: number[], rounds: number }} setup
 *   sizes: millions of stored values
 * @returns {import("../cases.mjs").Case[]}
 */
export function queryCases(setup) {
  const all = [...small(setup), ...(setup.sizes.includes(400) ? large(setup) : [])];
  return all.map((one) => ({ ...one, rounds: Math.min(setup.rounds, one.rounds ?? setup.rounds) }));
}

/** A task of ours-query.mjs, or of query_peer.py. */
const sides = ({ dist, python }) => ({
  task: (...args) => [process.execPath, here("../ours/ours-query.mjs"), dist, ...args],
  asked: (...args) => [python, here("../peers/query_peer.py"), ...args],
});

/** `annarrow query`, whose only row has the only column `result`. */
const statement = ({ input, cli }, file, engine, sql) =>
  cli("query", input(file), sql, "--format", "ndjson", "--engine", engine, "--companion", "off");

function small(setup) {
  const { input, out, cli } = setup;
  const matrix = input("matrix.h5ad");
  const convert = (side, ...more) =>
    cli("convert", matrix, `${out(side)}.bpcells`, "--lossy", "--type", "uint", ...more);
  const index = {
    ...{ id: "query-index", title: "55 M stored values", clock: "whole" },
    section: "SQL: a gzip .h5ad by cells is copied by genes",
    ours: cli("index", matrix, "--cache", out("ours")),
    peers: [
      { name: "annarrow, to BPCells by cells", command: convert("peer0"), bare: true },
      {
        ...{ name: "annarrow, to BPCells by genes", aim: 1.5, atMost: true, bare: true },
        command: convert("peer1", "--order", "row"),
      },
    ],
  };
  const toParquet = (source, side) => cli("convert", source, out(side), "--to", "parquet");
  const bucket = {
    ...{ id: "query-s3", title: "55 M stored values", clock: "whole", same: "files" },
    section: "SQL: a gzip .h5ad in a bucket to Parquet",
    ours: toParquet("s3://bench/matrix.h5ad", "ours"),
    peers: [{ name: "annarrow, the local file", command: toParquet(matrix, "peer0"), aim: 1.3, atMost: true }],
  };
  return [index, bucket];
}

function large(setup) {
  const { input, cli, out } = setup;
  const file = "size-400.h5ad";
  const source = input(file);
  const { task, asked } = sides(setup);

  const ofPython = [
    { name: "anndata, backed, and pandas", command: asked("mean", source, GENE) },
    { name: "read_h5ad, and DuckDB on Arrow", command: asked("mean-duckdb", source, GENE) },
  ];
  const mean = ENGINES.map((engine) => ({
    ...{ id: `query-mean-${engine}`, title: engine, memory: 512, rounds: 1 },
    section: "SQL: the mean of one gene by a column of obs, 400 M stored values, gzip .h5ad by cells",
    ours: statement(
      setup,
      file,
      engine,
      `select {groups: count(*), mean: sum(mean)} as result from (select number % 10 as kind,
         sum(value::double) / count(*) as mean from obs
         left join (select row, value from X where col = ${GENE}) using (row) group by kind)`,
    ),
    peers: [
      { name: "annarrow: batches of X", command: task("scan", source), aim: 1.2, atMost: true, bare: true },
      // They take minutes.
      ...(engine === "native" ? ofPython : []),
    ],
  }));

  const start = ENGINES.flatMap((engine) => {
    const within = [{ seconds: START[engine], of: "aim" }];
    const common = { section: "SQL: a few rows of 400 M stored values, gzip .h5ad by cells", within };
    const found = "{entries: count(*), value: sum(value::double)} as result";
    return [
      {
        ...{ ...common, id: `query-rows-${engine}`, title: `1,000 cells, ${engine}` },
        ours: statement(setup, file, engine, `select ${found} from X where row between 1000 and 1999`),
        peers: [{ name: "anndata, backed", command: asked("rows", source, "1000", "2000"), aim: 5 }],
      },
      {
        ...{ ...common, id: `query-limit-${engine}`, title: `ten entries, ${engine}` },
        ours: statement(setup, file, engine, `select ${found} from (select value from X limit 10)`),
        peers: [{ name: "anndata, backed", command: asked("first", source, "10"), aim: 5 }],
      },
    ];
  });

  const gene = [
    {
      ...{ id: "query-gene", title: "a gene of a file that is open" },
      ours: task("gene", source, GENE, input("companions")),
      peers: [{ name: "anndata, backed", command: asked("gene", source, GENE) }],
      within: [{ seconds: 0.03, of: "aim" }],
      rounds: 2,
    },
    {
      ...{ id: "query-gene-first", title: "the first that the process reads" },
      peers: [],
      ours: task("first", source, GENE, input("companions")),
    },
    {
      ...{ id: "query-gene-http", title: "opening and one gene, by HTTP, 20 ms a request" },
      ours: task("gene-http", source, GENE),
      peers: [],
      within: [{ seconds: 1, of: "aim" }],
    },
  ].map((one) => ({ ...one, clock: "inside", section: "SQL: one gene by the copy, 400 M stored values" }));

  const groups = ENGINES.map((engine) => ({
    ...{ id: `query-group-${engine}`, title: engine, memory: 1024, rounds: 1 },
    section: "SQL: the sum of each of 182,000 cells, 400 M stored values, gzip .h5ad by cells",
    ours: statement(
      setup,
      file,
      engine,
      `select {rows: count(*), total: sum(total)} as result
         from (select row, sum(value::double) as total from X group by row)`,
    ),
    peers: [
      {
        name: "annarrow, X to Parquet",
        command: cli("convert", source, out("peer0"), "--to", "parquet", "--elements", "X"),
        bare: true,
      },
      { name: "DuckDB on this Parquet", command: asked("group", input("size-400.parquet")) },
    ],
    sum: "1.5 times the conversion and DuckDB",
    sumFactor: 1.5,
  }));

  return [...start, ...gene, ...mean, ...groups].map((one) => ({ clock: "whole", same: "result", ...one }));
}
