/** Threads run one statement after another, and nothing of one reaches the next. */

import { fstatSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { makeVector, RecordBatchReader, Table, tableFromIPC, tableToIPC } from "apache-arrow";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { StatementThreads } from "../../../src/serve/statements/statement-threads.node.js";
import { Statement } from "../../../src/serve/statements/statements.node.js";
import { BUILT } from "../built-files.js";

const LONG = 240_000;

/** A file of one table, `numbers`, which takes 64 MiB in DuckDB. */
const FILE = join(mkdtempSync(join(tmpdir(), "annarrow-numbers-")), "numbers.arrow");
const ROWS = 2 ** 23;
beforeAll(() => {
  const value = makeVector(Float64Array.from({ length: ROWS }, (_, i) => i));
  writeFileSync(FILE, tableToIPC(new Table({ value }), "file"));
});
afterAll(() => rmSync(dirname(FILE), { recursive: true }));

let threads: StatementThreads;
beforeEach(() => {
  threads = new StatementThreads({ entry: BUILT.statementWorker, most: 1, time: LONG });
});
afterEach(() => threads.close());

interface Limits {
  readonly time?: number;
  readonly memory?: number;
  readonly tempSize?: number;
  readonly signal?: AbortSignal;
}

async function answer(
  sql: string,
  { time = LONG, memory = 2 ** 28, tempSize = 2 ** 30, signal = new AbortController().signal }: Limits = {},
): Promise<Table> {
  const datasets = [
    { schema: null, file: FILE },
    { schema: "other.arrow", file: FILE },
  ];
  const task = { sql, datasets, upload: null, parameters: null, wanted: "rows", format: "arrow" } as const;
  const limits = { memory, tempSize, maxCell: 2 ** 26, messageBytes: 2 ** 20 };
  const statement = new Statement(threads, { ...task, companion: "off", plain: {}, ...limits }, time, signal);
  try {
    const messages = [await statement.schema()];
    for await (const { bytes } of statement.messages()) messages.push(bytes);
    return tableFromIPC(RecordBatchReader.from(Buffer.concat(messages)));
  } finally {
    statement.close();
  }
}

/** The kept thread, which stays kept; a new one where none is. */
function keptThread() {
  const thread = threads.take();
  threads.keep(thread);
  return thread;
}

test(
  "a thread is used again, with an empty database and its own settings",
  async () => {
    expect((await answer("select 40 + 2 as n")).get(0)?.toJSON()).toEqual({ n: 42 });
    const first = keptThread();
    for (const sql of ["create table left_over as select 1", "set variable left_over = 1"]) await answer(sql);
    await expect(answer("select * from left_over")).rejects.toThrow(/left_over does not exist/);
    await expect(answer("select nosuch")).rejects.toThrow(/nosuch/);
    const state = `select getvariable('left_over') as value, (select count(*)::integer from duckdb_tables()) as tables,
      current_setting('memory_limit') as memory, current_setting('enable_external_access')::varchar as access,
      current_setting('lock_configuration')::varchar as locked`;
    const expected = { value: null, tables: 0, memory: "100.0 MiB", access: "false", locked: "true" };
    expect((await answer(state, { memory: 100 * 2 ** 20 })).get(0)?.toJSON()).toEqual(expected);
    await expect(answer("select * from read_text('/etc/passwd')")).rejects.toThrow(/disabled by configuration/);
    expect(keptThread()).toBe(first);
  },
  LONG,
);

test(
  "an error among the rows leaves the thread as it was",
  async () => {
    const sql = "select case when range = 900_000 then error('here')::integer end as x from range(1_000_000)";
    // DuckDB-WASM loses its message behind the first rows.
    await expect(answer(sql)).rejects.toThrow(/unsuccessful/);
    const thread = keptThread();
    expect((await answer("select count(*)::integer as n from range(1_000_000)")).get(0)?.toJSON()).toEqual({ n: 1e6 });
    expect(keptThread()).toBe(thread);
  },
  LONG,
);

test(
  "a thread ends with a statement that takes too long or much memory",
  async () => {
    await answer("select 1");
    const first = keptThread();
    const endless = "select sum(a.range * b.range) from range(1_000_000) a, range(1_000_000) b";
    await expect(answer(endless, { time: 500 })).rejects.toThrow(/longer than 0.5 s/);
    const second = keptThread();
    expect(second).not.toBe(first);
    await answer("select len(list(range)) from range(20_000_000)", { memory: 2 ** 30 });
    expect(keptThread()).not.toBe(second);
  },
  LONG,
);

test("threads without a statement end after a while", async () => {
  threads = new StatementThreads({ entry: BUILT.statementWorker, most: 1, time: 50 });
  const ended = new Promise((resolve) => keptThread().on("exit", resolve));
  await expect(ended).resolves.toBeDefined();
});

/** Bytes of the temporary files that this process has open. */
function spilledBytes(): number {
  return readdirSync("/proc/self/fd").reduce((sum, name) => {
    try {
      const isSpilled = readlinkSync(`/proc/self/fd/${name}`).includes("annarrow-statement");
      return sum + (isSpilled ? fstatSync(Number(name)).size : 0);
    } catch {
      return sum;
    }
  }, 0);
}

test(
  "tables beyond half the memory are in files, which end with the statement",
  async () => {
    // The sums of numbers below n are n (n - 1) / 2, which floats hold exactly.
    const sum = (ROWS * (ROWS - 1)) / 2;
    for (const [table, place] of [
      ["numbers", "annarrow file 0"],
      ['"other.arrow".numbers', "annarrow file 0"],
    ]) {
      const sql = `select sum(value) as s, count(*)::integer as n,
        (select max(database_name) from duckdb_tables() where table_name = 'numbers') as place from ${table}`;
      const found = await answer(sql, { memory: 2 ** 27 });
      expect(found.get(0)?.toJSON()).toEqual({ s: sum, n: ROWS, place });
    }
    // Both tables of one statement together, and settings as without files.
    const both = await answer(
      `select count(*)::integer as n, current_setting('lock_configuration')::varchar as locked
        from numbers join "other.arrow".numbers as other using (value) where value < 1000`,
      { memory: 2 ** 27 },
    );
    expect(both.get(0)?.toJSON()).toEqual({ n: 1000, locked: "true" });
    expect(readdirSync(tmpdir()).filter((name) => name.includes("annarrow-statement"))).toEqual([]);
    if (process.platform === "linux") await vi.waitUntil(() => spilledBytes() === 0, { timeout: 20_000 });
  },
  LONG,
);

test.runIf(process.platform === "linux")(
  "a statement that is cut off leaves no file",
  async () => {
    await answer("select 1");
    const endless = `select sum(a.value * b.value) from numbers a,
      (select value from numbers where value < 100000) b`;
    const stop = new AbortController();
    const running = answer(endless, { memory: 2 ** 27, signal: stop.signal });
    const told = expect(running).rejects.toThrow("enough");
    await vi.waitUntil(() => spilledBytes() > 2 ** 20, { timeout: 60_000 });
    stop.abort(new Error("enough"));
    await told;
    await vi.waitUntil(() => spilledBytes() === 0, { timeout: 60_000 });
  },
  LONG,
);

test(
  "what exceeds the limits is an error that tells what to do",
  async () => {
    await expect(answer("select sum(value) from numbers", { memory: 2 ** 27, tempSize: 2 ** 20 })).rejects.toThrow(
      /more than 1048576 bytes: the statement must name fewer columns or positions, or the server needs a larger --statement-temp/,
    );
    await expect(
      answer("select count(*) from (select distinct value from numbers)", { memory: 2 ** 27 }),
    ).rejects.toThrow(
      /Out of Memory Error.*: the statement must sort, join or group fewer rows and columns, or .* --statement-memory/,
    );
    expect((await answer("select 42 as n")).get(0)?.toJSON()).toEqual({ n: 42 });
  },
  LONG,
);
