/** What runs in the page: bundled with the default entry, apache-arrow, zarrita and DuckDB-WASM. */

import * as duckdb from "@duckdb/duckdb-wasm";
import ZipFileStore from "@zarrita/storage/zip";
import { makeVector, Table, tableToIPC } from "apache-arrow";
import * as zarr from "zarrita";
import { type Dataset, loadIntoDuckDB, open, parquetFile, write } from "../../packages/published/src/index.js";
import { registerCodecs } from "../../src/zarr.js";

export interface Answers {
  readonly format: string;
  readonly container: string;
  readonly shape: readonly number[] | null;
  readonly tables: readonly string[];
  readonly sql: Readonly<Record<string, readonly Row[]>>;
}

export type Row = Readonly<Record<string, unknown>>;

/** How the page gets at the data: the bytes of `url`, a `File` of them, the URL itself, or a store of zarrita there. */
export type Way = "bytes" | "file" | "url" | "zarrita";

export interface Question {
  readonly url: string;
  readonly way: Way;
  /** Names of the tables that are loaded into DuckDB. */
  readonly tables: readonly string[];
  readonly queries: Readonly<Record<string, string>>;
}

export interface Kept {
  /** Rows, their sum, and the rows of a join with some of them. */
  readonly first: Row;
  readonly again: Row;
  /** Names and sizes of the page's own files, before and after their removal. */
  readonly files: Readonly<Record<string, number>>;
  readonly left: readonly string[];
  /** What loading with the option `memory` says. */
  readonly refused: string;
}

declare global {
  interface Window {
    ask(question: Question): Promise<Answers>;
    /** One table as a Parquet file: its bytes, a character each. */
    parquet(url: string, table: string): Promise<string>;
    /** One column of `obs` of the file at `url`; what went wrong as text. */
    column(url: string, name: string): Promise<unknown[] | string>;
    /** Loads made rows into a database in the page's own files, and asks it: before and after it is opened anew. */
    kept(rows: number, memoryLimit: string): Promise<Kept>;
    /** Writes the file at `url` into a store of zarrita; zarrita's values of the array at `path` in it. */
    written(url: string, path: string): Promise<readonly number[]>;
  }
}

let database: Promise<duckdb.AsyncDuckDB> | undefined;

async function startDuckDB(): Promise<duckdb.AsyncDuckDB> {
  const worker = new Worker("/duckdb/duckdb-browser-eh.worker.js");
  const started = new duckdb.AsyncDuckDB(new duckdb.VoidLogger(), worker);
  await started.instantiate("/duckdb/duckdb-eh.wasm");
  return started;
}

async function fetched(url: string): Promise<ArrayBuffer> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: HTTP status ${response.status}`);
  return response.arrayBuffer();
}

function openBy(way: Way, url: string): Promise<Dataset> {
  switch (way) {
    case "bytes":
      return fetched(url).then((bytes) => open(new Uint8Array(bytes)));
    case "file":
      return fetched(url).then((bytes) => open(new File([bytes], url.split("/").at(-1) ?? "")));
    case "url":
      return open(new URL(url, location.href).href);
    case "zarrita": {
      const at = new URL(url, location.href);
      return open(url.endsWith(".zip") ? ZipFileStore.fromUrl(at) : new zarr.FetchStore(at));
    }
    default:
      return way satisfies never;
  }
}

window.ask = async ({ url, way, tables, queries }) => {
  database ??= startDuckDB();
  await (await database).reset();
  const connection = await (await database).connect();
  const data = await openBy(way, url);
  await loadIntoDuckDB(data, connection, { tables });
  const sql: Record<string, Row[]> = {};
  for (const [name, query] of Object.entries(queries)) {
    const result = await connection.query(query);
    sql[name] = result.toArray().map((row) => row.toJSON());
  }
  await connection.close();
  await data.close();
  return { format: data.format, container: data.container, shape: data.shape, tables: [...data.tables.keys()], sql };
};

window.parquet = async (url, table) => {
  const data = await openBy("bytes", url);
  let bytes = "";
  for await (const chunk of parquetFile(data.table(table))) {
    for (const byte of chunk) bytes += String.fromCharCode(byte);
  }
  await data.close();
  return bytes;
};

window.column = async (url, name) => {
  try {
    const data = await open(url);
    const obs = await data.table("obs").read({ columns: [name] });
    await data.close();
    return [...(obs.getChild(name) ?? [])];
  } catch (error) {
    return String(error);
  }
};

/** Tries until the files of a worker that was terminated are free: the browser frees them some time later. */
async function onceFree<T>(action: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await action();
    } catch (error) {
      const isTaken = /NoModificationAllowedError|another open Access Handle/.test(String(error));
      if (!isTaken || attempt === 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

window.kept = async (rows, memoryLimit) => {
  const name = "kept.duckdb";
  const value = makeVector(Float64Array.from({ length: rows }, (_, i) => i));
  const data = await open(tableToIPC(new Table({ value }), "file"));
  const [table] = data.tables.keys();
  const asked = `select count(*)::int as rows, sum(value) as sum,
    (select count(*)::int from "${table}" a join "${table}" b using (value) where b.value < 1000) as joined from "${table}"`;
  const within = async (action: (connection: duckdb.AsyncDuckDBConnection) => Promise<void>) => {
    const started = await startDuckDB();
    const config = { path: `opfs://${name}`, accessMode: duckdb.DuckDBAccessMode.READ_WRITE };
    await onceFree(() => started.open(config));
    const connection = await started.connect();
    await connection.query(`set memory_limit = '${memoryLimit}'`);
    await action(connection);
    await connection.query("checkpoint");
    await connection.close();
    await started.terminate();
  };
  const answers: Row[] = [];
  let refused = "";
  await within(async (connection) => {
    refused = await loadIntoDuckDB(data, connection, { memory: 0 }).then(() => "", String);
    await loadIntoDuckDB(data, connection);
    answers.push((await connection.query(asked)).toArray()[0].toJSON());
  });
  await data.close();
  await within(async (connection) => {
    answers.push((await connection.query(asked)).toArray()[0].toJSON());
  });
  const folder = await navigator.storage.getDirectory();
  const files: Record<string, number> = {};
  for (const file of [name, `${name}.wal`]) {
    files[file] = (await (await folder.getFileHandle(file)).getFile()).size;
    await onceFree(() => folder.removeEntry(file));
  }
  const left: string[] = [];
  for await (const [file] of folder) left.push(file);
  return { first: answers[0], again: answers[1], files, left, refused };
};

window.written = async (url, path) => {
  const values = new Map<string, Uint8Array>();
  const store = {
    get: async (key: string) => values.get(key),
    set: async (key: string, bytes: Uint8Array) => void values.set(key, bytes),
  };
  const data = await openBy("bytes", url);
  await write(store, data, { zarrFormat: 2 });
  await data.close();
  registerCodecs(zarr.registry);
  const array = await zarr.open(zarr.root(store).resolve(path), { kind: "array" });
  if (!array.is("float32")) throw new Error(`${path} is ${array.dtype}`);
  return [...(await zarr.get(array)).data];
};
