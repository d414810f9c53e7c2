/** Many statements at once: others are answered meanwhile, and clients take turns. */

import { setImmediate } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ensureBuilt } from "../../../../test/build.js";
import { METHODS } from "../../src/flight/protocol/methods.js";
import { findErrorStatus } from "../../src/flight/protocol/status.js";
import { StatementQueue } from "../../src/serve/statements/statement-queue.js";
import { type ServedToClient, servedToClient } from "./served.js";

let it: ServedToClient;
beforeAll(async () => {
  await ensureBuilt();
  it = await servedToClient({ statementSeconds: 40 });
}, 120_000);
afterAll(() => it.close());

const HEAVY = "select count(*) as n from range(100000000000) a(i) where hash(i) % 7 = 3";
const { signal } = new AbortController();

test("of 300 most are refused at once, and others are answered", async () => {
  await fetch(`${it.http}/pbmc.h5ad/obs`);
  const enough = new AbortController();
  const refused: string[] = [];
  let ended = 0;
  const url = `${it.http}/pbmc.h5ad?sql=${encodeURIComponent(HEAVY)}`;
  const statements = Array.from({ length: 300 }, async () => {
    const response = await fetch(url, { signal: enough.signal });
    const text = await response.text();
    if (response.status === 429) refused.push(`${response.headers.get("retry-after")} ${text}`);
    else ended++;
  });
  const all = Promise.allSettled(statements);
  const obs = await fetch(`${it.http}/pbmc.h5ad/obs`);
  expect(obs.status).toBe(200);
  await obs.arrayBuffer();
  // Two run, and sixteen of one client wait.
  await expect.poll(() => refused.length, { timeout: 15_000 }).toBe(282);
  expect(refused.filter((text) => !/^1 .*16 of yours wait/.test(text))).toEqual([]);
  const descriptor = { kind: "command", command: json({ dataset: "pbmc.h5ad", sql: HEAVY }) } as const;
  const asked = it.connection.unary(METHODS.getFlightInfo, descriptor);
  expect(findErrorStatus(await asked.catch((error: unknown) => error))).toBe("RESOURCE_EXHAUSTED");
  await it.connection.unary(METHODS.getFlightInfo, { kind: "path", path: ["pbmc.h5ad", "obs"] });
  // All of it while the first two run.
  expect(ended).toBe(0);
  enough.abort();
  await all;
}, 60_000);

test("clients take turns", async () => {
  const queue = new StatementQueue({ most: 1, waiting: 6, waitingOfOne: 3 });
  const order: string[] = [];
  const run = async (client: string) => {
    const leave = await queue.enter(client, signal);
    order.push(client);
    await setImmediate();
    leave();
  };
  const all = ["a", "a", "a", "a", "b", "c", "b"].map(run);
  await expect(queue.enter("a", signal)).rejects.toThrow("1 run and 3 of yours wait");
  await expect(queue.enter("d", signal)).rejects.toThrow("1 run and 6 wait");
  await Promise.all(all);
  expect(order).toEqual(["a", "a", "b", "c", "a", "b", "a"]);
  expect([queue.inside, queue.waiting]).toEqual([0, 0]);
});

test("who leaves the line has no turn", async () => {
  const queue = new StatementQueue({ most: 1 });
  const leave = await queue.enter("a", signal);
  const gone = new AbortController();
  const waiting = queue.enter("b", gone.signal);
  const next = queue.enter("b", signal);
  gone.abort(new Error("left"));
  await expect(waiting).rejects.toThrow("left");
  leave();
  (await next)();
  expect([queue.inside, queue.waiting]).toEqual([0, 0]);
});

function json(value: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}
