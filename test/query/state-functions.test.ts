/** Functions that change DuckDB's state are refused by name; each table function of DuckDB is known to change it or not. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withTables } from "../../packages/flight/src/serve/statements/statement-tables.js";
import { answerStatement, explainStatement } from "../../src/query/answer.js";
import { refuseStateFunctions, STATE_FUNCTIONS } from "../../src/query/state-functions.js";
import { openDuckDB } from "../../src/sinks/duckdb/duckdb.node.js";
import type { DuckDBEngine } from "../../src/sinks/duckdb/engine.js";
import { openNativeDuckDB } from "../../src/sinks/duckdb/native-database.node.js";

/** Functions that give a table, or depend on more than their arguments, and leave DuckDB as it is. */
const HARMLESS = new Set(
  `check_peg_parser duckdb_approx_database_count duckdb_columns duckdb_connection_count duckdb_constraints
  duckdb_coordinate_systems duckdb_databases duckdb_dependencies duckdb_extensions duckdb_external_file_cache
  duckdb_functions duckdb_indexes duckdb_keywords duckdb_log_contexts duckdb_logs duckdb_logs_parsed duckdb_memory
  duckdb_optimizers duckdb_prepared_statements duckdb_profiling_settings duckdb_schemas duckdb_secret_types
  duckdb_secrets duckdb_sequences duckdb_settings duckdb_table_sample duckdb_tables duckdb_temporary_files
  duckdb_types duckdb_variables duckdb_views generate_series histogram histogram_values icu_calendar_names json_each
  json_tree parquet_bloom_probe parquet_file_metadata parquet_full_metadata parquet_kv_metadata parquet_metadata
  parquet_schema pg_timezone_names pragma_collations pragma_database_size pragma_metadata_info pragma_platform
  pragma_show pragma_storage_info pragma_table_info pragma_user_agent pragma_version query_table range repeat
  repeat_row seq_scan sql_auto_complete summary test_all_types test_vector_types unnest which_secret
  current_connection_id current_query current_query_id current_transaction_id currval error gen_random_uuid nextval
  random setseed sleep_ms stats uuid uuidv4 uuidv7`.split(/\s+/),
);

/** Functions that read files, which DuckDB itself refuses (packages/flight/test/serve/statements/confinement.test.ts). */
const FILES = new Set(
  `glob parquet_scan read_blob read_csv read_csv_auto read_duckdb read_json read_json_auto read_json_objects
  read_json_objects_auto read_ndjson read_ndjson_auto read_ndjson_objects read_parquet read_text sniff_csv`.split(
    /\s+/,
  ),
);

const folder = mkdtempSync(join(tmpdir(), "annarrow-state-"));
const engines = new Map<string, DuckDBEngine>();
beforeAll(async () => {
  engines.set("native", await openNativeDuckDB({ folder, memory: 2 ** 28 }));
  engines.set("wasm", await openDuckDB());
});
afterAll(async () => {
  for (const engine of engines.values()) await engine.close();
  rmSync(folder, { recursive: true });
});

describe.each(["native", "wasm"])("DuckDB: %s", (kind) => {
  test("has no table function, and none with side effects, that is not known", async () => {
    const sql = `select distinct function_name as name from duckdb_functions()
      where function_type in ('table', 'table_macro') or (function_type = 'scalar' and has_side_effects)`;
    const rows = await (await engines.get(kind)?.query(sql))?.read();
    const names = [...(rows?.getChild("name") ?? [])].map(String);
    expect(names).toContain("enable_logging");
    const isKnown = (name: string) => STATE_FUNCTIONS.has(name) || HARMLESS.has(name) || FILES.has(name);
    expect(names.filter((name) => !isKnown(name))).toEqual([]);
  });

  test("statements do not reach such a function", async () => {
    const engine = engines.get(kind);
    if (engine === undefined) throw new Error("no engine");
    for (const run of [answerStatement, explainStatement]) {
      await expect(run(withTables(null, new Map()), "from enable_logging()", engine)).rejects.toThrow(
        "enable_logging() is refused in a query: it changes what DuckDB logs",
      );
    }
    const logging = "select value from duckdb_settings() where name = 'enable_logging'";
    const setting = await (await engine.query(logging)).read();
    expect([...(setting.getChildAt(0) ?? [])].map((value) => String(value))).not.toContain("true");
  });
});

test.each([
  "from enable_logging('FileSystem')",
  'select * from "ENABLE_LOGGING" ()',
  "from system.main.enable_logging()",
  "select 1 from range(3), lateral (from truncate_duckdb_logs())",
  "with x as (select * from checkpoint()) from x",
  "explain analyze from force_checkpoint()",
  "call enable_logging()",
  "from obs -- comment\r, enable_logging()",
  "select $ä$ ' $ä$ from enable_logging() -- '",
  "from enable_logging/* c */()",
  "from query('from enable_' || 'logging()')",
  "from json_execute_serialized_sql(json_serialize_sql('from checkpoint()'))",
  "select * from arrow_scan(1::ubigint, 1::ubigint, 1::ubigint)",
])("%s is refused", (sql) => expect(() => refuseStateFunctions(sql)).toThrow(/\(\) is refused in a query: it /));

test.each([
  "select enable_logging, checkpoint from obs",
  "select 'enable_logging()'",
  "from obs -- enable_logging()",
  "select $$ checkpoint() $$",
  'select "query" from obs',
])("%s is a query as others", (sql) => expect(() => refuseStateFunctions(sql)).not.toThrow());
