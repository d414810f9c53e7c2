/**
 * DuckDB itself confines statements, whatever passes the check before it. All run in one database, as a statement's thread
 * sets it for its second statement.
 */

import { existsSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { answerStatement } from "../../../../../src/query/answer.js";
import { type InProcessDuckDB, loadDuckDB } from "../../../../../src/sinks/duckdb/duckdb.node.js";
import { createFileAccessSql } from "../../../../../src/sinks/duckdb/engine.js";
import { withTables } from "../../../src/serve/statements/statement-tables.js";

/** Where a statement's own temporary files are while it loads tables. */
const FOLDER = "/tmp/annarrow-own-files";

let engine: InProcessDuckDB;
beforeAll(async () => {
  const loaded = await loadDuckDB();
  for (const isLast of [false, true]) {
    engine = loaded.open();
    await engine.run(createFileAccessSql([FOLDER]));
    await answerStatement(withTables(null, new Map()), "select 1", engine, { confined: true });
    if (!isLast) await engine.close();
  }
}, 120_000);
afterAll(() => engine.close());

const FILE = "/tmp/annarrow-must-not-be";

test.each([
  "select * from read_csv('/etc/passwd')",
  "select * from read_csv_auto('/etc/passwd')",
  "select * from '/etc/passwd'",
  "select * from '/etc/passwd.csv'",
  "select * from 'https://example.com/x.csv'",
  "select * from read_text('/etc/passwd')",
  "select * from read_blob('/etc/passwd')",
  "select content from read_text(['/etc/passwd', '/etc/hosts'])",
  "select * from read_parquet('/etc/passwd')",
  "select * from parquet_scan('/etc/passwd')",
  "select * from parquet_metadata('/etc/passwd')",
  "select * from read_json('/etc/passwd')",
  "select * from read_json_auto('/etc/passwd')",
  "select * from read_ndjson('/etc/passwd')",
  "select * from sniff_csv('/etc/passwd')",
  "select * from glob('/etc/*')",
  `select * from read_text('${FOLDER}/../../etc/passwd')`,
  `select * from read_text('${FOLDER}')`,
  `copy (select 1) to '${FOLDER}/x.csv'`,
  `attach '${FOLDER}/x.duckdb' as other`,
  "select * from read_xlsx('/etc/passwd')",
  "select * from sqlite_scan('/etc/passwd', 'x')",
  "select * from postgres_scan('host=localhost', 'public', 'x')",
  "select * from query('select * from read_text(''/etc/passwd'')')",
  "select * from query_table(['/etc/passwd'])",
  "select getenv('HOME')",
  "select * from duckdb_logs()",
  "select read_text('/etc/passwd')",
  "with x as (from read_text('/etc/passwd')) select * from x",
  "select (select content from read_text('/etc/passwd'))",
  "explain analyze select * from read_text('/etc/passwd')",
  `copy (select 1) to '${FILE}'`,
  `export database '${FILE}'`,
  `import database '/etc'`,
  `attach '${FILE}' as other`,
  "attach 'https://example.com/x.db' as other",
  "install httpfs",
  "load httpfs",
  "load '/tmp/x.duckdb_extension'",
  "set enable_external_access = true",
  "set lock_configuration = false",
  "set allowed_paths = ['/etc/passwd']",
  "set memory_limit = '100GB'",
  "set temp_directory = '/tmp'",
  "set autoload_known_extensions = true",
  "reset enable_external_access",
  "pragma enable_external_access",
  "pragma temp_directory='/tmp'",
  `pragma profiling_output='${FILE}'`,
  "create secret s (type s3, key_id 'a', secret 'b')",
  "select current_setting('enable_external_access') = true as open, error('locked')",
])("%s", async (sql) => {
  const drained = async () => (await engine.query(sql)).read();
  const rows = await drained().then(
    (table) => table.numRows,
    (error: Error) => error.message,
  );
  // Nothing, or an error: an empty log is no way out.
  expect(rows === 0 || typeof rows === "string").toBe(true);
  expect(String(rows)).not.toContain("root:");
  for (const path of [FILE, FOLDER]) expect(existsSync(path)).toBe(false);
});

test("the settings are the confined ones after all that", async () => {
  const settings = await (
    await engine.query(
      "select current_setting('enable_external_access')::varchar as a, current_setting('lock_configuration')::varchar as b",
    )
  ).read();
  expect(settings.get(0)?.toJSON()).toEqual({ a: "false", b: "true" });
});
