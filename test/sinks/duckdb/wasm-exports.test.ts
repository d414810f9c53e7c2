/** DuckDB-WASM that starts without the functions for extensions computes as it does with them. */

import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { loadDuckDB } from "../../../src/sinks/duckdb/duckdb.node.js";
import { withoutExtensions } from "../../../src/sinks/duckdb/wasm-exports.node.js";

/** Statements that reach far into the module: its exceptions, text, dates, sorts, hash tables, windows, wide integers. */
const STATEMENTS = [
  "select sum(i), count(distinct i % 1009), quantile_cont(i, 0.3), stddev(i) from range(300000) t(i)",
  "select i, row_number() over (partition by i % 3 order by i desc) as n from range(50) t(i) order by i",
  "select regexp_replace('CD3E-1', '[0-9]+$', 'x'), upper('ü'), strftime(date '2024-02-29', '%d.%m.%Y') as day",
  "select [1, 2, 3] as list, {'a': 1, 'b': 'c'} as struct, map {'k': 2} as map, 170141183460469231731687303715884105727 as wide",
  "select * from (values (1, 'a'), (2, 'b')) x(k, v) full join (values (2, 3.5), (4, null)) y(k, w) using (k) order by k",
  "select error('told') as x",
  "select nothing from nowhere",
  "select cast('a' as integer) as x",
  "with recursive f(n, x) as (select 1, 1::hugeint union all select n + 1, x * 3 from f where n < 60) select max(x) as x from f",
  "select md5(string_agg(i, ',' order by hash(i))) as x from range(10000) t(i)",
];

test("answers and errors are those of the whole module", { timeout: 60_000 }, async () => {
  const answers = async (extensions: boolean) => {
    const engine = (await loadDuckDB({ extensions })).open();
    const told: string[] = [];
    for (const sql of STATEMENTS) {
      told.push(await engine.query(sql).then(async (rows) => (await rows.read()).toString(), String));
    }
    await engine.close();
    return told;
  };
  const whole = await answers(true);
  expect(whole.filter((text) => /Error/.test(text))).toHaveLength(3);
  expect(await answers(false)).toEqual(whole);
});

test("few of the module's exports are entered into tables", { timeout: 60_000 }, async () => {
  const require = createRequire(import.meta.url);
  const file = "@duckdb/duckdb-wasm/blocking";
  const engine: typeof import("@duckdb/duckdb-wasm/blocking") = require(file);
  const bundle = (name: string) => ({ mainModule: join(dirname(require.resolve(file)), name), mainWorker: "" });
  const bundles = { mvp: bundle("duckdb-mvp.wasm"), eh: bundle("duckdb-eh.wasm") };
  const database = await engine.createDuckDB(bundles, new engine.VoidLogger(), engine.NODE_RUNTIME);
  withoutExtensions(database);
  const some: unknown = Reflect.get(database, "instantiateWasm");
  const counts: number[] = [];
  Reflect.set(
    database,
    "instantiateWasm",
    (imports: unknown, success: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void) =>
      Reflect.apply(some instanceof Function ? some : () => undefined, database, [
        imports,
        (instance: WebAssembly.Instance, module: WebAssembly.Module) => {
          counts.push(Object.keys(instance.exports).length, WebAssembly.Module.exports(module).length);
          success(instance, module);
        },
      ]),
  );
  await database.instantiate(() => undefined);
  expect(counts[0]).toBeGreaterThan(100);
  expect(counts[0]).toBeLessThan(counts[1] / 10);
});
