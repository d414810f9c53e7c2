/** Threads run one statement after another, and nothing of one reaches the next. */

import { RecordBatchReader, type Table, tableFromIPC } from "apache-arrow";
import { afterEach, beforeEach, expect, test } from "vitest";
import { StatementThreads } from "../../../src/serve/statements/statement-threads.node.js";
import { Statement } from "../../../src/serve/statements/statements.node.js";
import { BUILT } from "../built-files.js";

const LONG = 240_000;
const signal = new AbortController().signal;

let threads: StatementThreads;
beforeEach(() => {
  threads = new StatementThreads({ entry: BUILT.statementWorker, most: 1, time: LONG });
});
afterEach(() => threads.close());

async function answer(sql: string, { time = LONG, memory = 2 ** 28 } = {}): Promise<Table> {
  const task = { sql, datasets: [], upload: null, parameters: null, wanted: "rows", format: "arrow" } as const;
  const statement = new Statement(threads, { ...task, companion: "off", memory, messageBytes: 2 ** 20 }, time, signal);
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
