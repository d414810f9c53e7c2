import { afterEach, expect, test, vi } from "vitest";
import { streamBytes } from "../../../../../src/ipc/write/apache-writer.js";
import { openDuckDB } from "../../../../../src/sinks/duckdb/duckdb.node.js";
import { bindValues } from "../../../src/serve/statements/parameters.js";
import { wideBatch, wideJoins } from "../../flight/wide-batch.js";

afterEach(() => vi.restoreAllMocks());

test("many values are bound without a look at all of them for each", async () => {
  const engine = await openDuckDB();
  const batch = wideBatch(300);
  const bytes = streamBytes(batch.schema, [batch]);
  const joins = wideJoins();
  const [values] = await bindValues(engine, bytes, 300);
  expect(joins()).toBe(0);
  const [row] = (
    await (await engine.query(`select ${[0, 1, 299].map((at) => values[at]).join(", ")}`)).read()
  ).toArray();
  expect(Object.values(row.toJSON())).toEqual([0, 1, 299]);
  await engine.close();
});
