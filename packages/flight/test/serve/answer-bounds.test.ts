/** Statements whose answers are too large for the memory of the server, or have values that no encoder takes. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { ensureBuilt } from "../../../../test/build.js";
import { METHODS } from "../../src/flight/protocol/methods.js";
import { type ServedToClient, servedToClient } from "./served.js";

let it: ServedToClient;
beforeAll(async () => {
  await ensureBuilt();
  it = await servedToClient({ maxCellBytes: 1000, statementMemoryBytes: 2 ** 27 });
}, 120_000);
afterAll(() => it.close());

const httpAnswer = async (sql: string, format: string) => {
  const response = await fetch(`${it.http}/pbmc.h5ad?sql=${encodeURIComponent(sql)}&format=${format}`);
  return [response.status, await response.text()] as const;
};

async function flightAnswer(sql: string): Promise<number> {
  const command = new TextEncoder().encode(JSON.stringify({ dataset: "pbmc.h5ad", sql }));
  const { endpoints } = await it.connection.unary(METHODS.getFlightInfo, { kind: "command", command });
  let bytes = 0;
  for await (const { body } of it.connection.stream(METHODS.doGet, endpoints[0].ticket)) {
    bytes += body.reduce((sum, part) => sum + part.length, 0);
  }
  return bytes;
}

const LARGE = "select repeat('x', 1001) as x";
const TOO_LARGE =
  'a value of column "x" of the answer has 1001 bytes, more than 1000: the statement must take less of it, as with left(x, 1000), or the server needs a larger --max-cell';

test.each(["json", "csv", "arrow"])("HTTP, %s: a value beyond the bound ends the statement by name", async (format) => {
  const [status, text] = await httpAnswer(LARGE, format);
  expect([status, JSON.parse(text)]).toEqual([400, { error: "invalid", message: `pbmc.h5ad: ${TOO_LARGE}` }]);
});

test("Flight: a value beyond the bound ends the statement by name", async () => {
  await expect(flightAnswer(LARGE)).rejects.toThrow(TOO_LARGE);
  expect(await flightAnswer("select repeat('x', 1000) as x")).toBeGreaterThan(1000);
});

test("rows beyond the bound together come in several batches", async () => {
  const [status, text] = await httpAnswer("select i, repeat('x', 400) as x from range(50) t(i)", "csv");
  expect([status, text.split("\n").length]).toEqual([200, 52]);
});

test("a statement whose memory does not suffice ends by name, and the next one is answered", async () => {
  for (const sql of [
    "select length(printf('%300000000d', 1)) as x",
    "select length(array_to_string(range(300000000), ',')) as x",
  ]) {
    const [status, text] = await httpAnswer(sql, "json");
    expect([status, text]).toEqual([400, expect.stringMatching(/memory.*--statement-memory/i)]);
  }
  expect(await httpAnswer("select 1 as x", "csv")).toEqual([200, "x\n1\n"]);
});

test.each([
  ["json", 200, /^$/],
  ["arrow", 200, /entries/],
  ["csv", 400, /a line of text cannot hold/],
])("HTTP, %s: an answer without rows, whose columns hold lists", async (format, status, text) => {
  const answer = await httpAnswer("select [1] as l, map {'k': ['v']} as m where false", format);
  expect(answer).toEqual([status, expect.stringMatching(text)]);
});
