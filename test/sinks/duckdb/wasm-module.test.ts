/** DuckDB-WASM that starts without the exports for extensions computes as it does with them. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { loadDuckDB } from "../../../src/sinks/duckdb/duckdb.node.js";
import { compileDuckDBModule } from "../../../src/sinks/duckdb/wasm-module.node.js";

const require = createRequire(import.meta.url);
const PROGRAM = require.resolve("@duckdb/duckdb-wasm/blocking");

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

test("the module keeps the exports that its program needs, and no others", { timeout: 60_000 }, () => {
  const bytes = readFileSync(join(dirname(PROGRAM), "duckdb-eh.wasm"));
  const whole = compileDuckDBModule(Buffer.from(bytes), true);
  const imported = WebAssembly.Module.imports(whole).filter(({ module }) => module.startsWith("GOT."));
  const addresses = new Set(imported.map(({ name }) => name));
  const needed = WebAssembly.Module.exports(whole).filter(
    ({ name }) => addresses.has(name) || !/^(_Z|orig\$)/.test(name),
  );
  const few = compileDuckDBModule(Buffer.from(bytes), false);
  expect(WebAssembly.Module.exports(few)).toEqual(needed);
  expect(WebAssembly.Module.imports(few)).toEqual(WebAssembly.Module.imports(whole));
  expect(needed.length).toBeGreaterThan(100);
  expect(needed.length).toBeLessThan(WebAssembly.Module.exports(whole).length / 10);
});

test("a module without exports, and one that would become no shorter, stay as they are", () => {
  // One function without parameters, which is exported as "f".
  const exporting = "0061736d 01000000 01040160 0000 03020100 07050101 660000 0a040102 000b";
  const bytes = Buffer.from(exporting.replaceAll(" ", ""), "hex");
  expect(WebAssembly.Module.exports(compileDuckDBModule(Buffer.from(bytes), false))).toEqual([
    { name: "f", kind: "function" },
  ]);
  expect(WebAssembly.Module.exports(compileDuckDBModule(Buffer.from(bytes.subarray(0, 8)), false))).toEqual([]);
});

test("a program of DuckDB-WASM that others load is not the one with this library's apache-arrow", async () => {
  const before = require.cache[PROGRAM];
  await loadDuckDB();
  expect(require.cache[PROGRAM]).toBe(before);
  expect(require.cache[createRequire(PROGRAM).resolve("apache-arrow")]).toBeUndefined();
}, 60_000);
