/** What one request, or many at once, may take. */

import { setImmediate } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { FlightData } from "../../src/flight/protocol/flight-data.js";
import type { ServerCall } from "../../src/flight/protocol/service.js";
import { createFlightInfo } from "../../src/serve/answers/flight-info.js";
import { Serving } from "../../src/serve/answers/serving.node.js";
import { FlightService } from "../../src/serve/flight/flight-service.node.js";
import type { Answer } from "../../src/serve/requests/answer.js";

const { signal } = new AbortController();
const call: ServerCall = { method: "", peer: "", signal, metadata: () => [], setHeader: () => undefined };

const opened = (streams: number) =>
  Serving.open({
    folders: ["examples"],
    ...{ token: null, ticketKey: null, readOnly: false, log: () => undefined },
    endpoints: { endpointBytes: 2 ** 26, ticketTime: 1000 },
    streams,
    ...{ pace: {}, uploads: {}, statements: {} },
  });

let serving: Serving;
beforeAll(async () => {
  serving = await opened(1);
});
afterAll(() => serving.close());

test.each(["doPut", "doExchange"] as const)("nothing of what %s is sent is read before its turn", async (method) => {
  const { puts, statements } = serving;
  const isPut = method === "doPut";
  const inside = () => (isPut ? puts.inside : statements.running);
  const others: (() => void)[] = [];
  while (inside() < (isPut ? 64 : 2))
    others.push(await (isPut ? puts.enter(`${others.length}`) : statements.turn("", signal)));
  let isRead = false;
  async function* nothing(): AsyncGenerator<FlightData> {
    isRead = true;
    yield* [];
  }
  const answer = new FlightService(serving)[method](nothing(), call)[Symbol.asyncIterator]().next();
  answer.catch(() => undefined);
  await setImmediate();
  expect(isRead).toBe(false);
  others.pop()?.();
  await expect(answer).rejects.toThrow("nothing was sent");
  expect(isRead).toBe(true);
  for (const other of others) other();
  expect(inside()).toBe(0);
});

test("tickets that name many columns are fewer: all of them have not much more than a MiB", async () => {
  const answer: Answer = {
    ...{ name: "a.h5ad/X", rows: 10 ** 9, first: 0, metadata: null, identity: "i", isFixed: true, since: null },
    schema: async () => new Uint8Array(0),
    bytes: async () => 2 ** 45,
    warnings: () => [],
    entriesBefore: async () => null,
    async *messages() {},
    async *text() {},
    close: () => undefined,
  };
  const request = { kind: "table", path: ["a.h5ad"], table: "X" } as const;
  const ticketsOf = async (bytes: number) => {
    const options = { endpointBytes: 2 ** 26, ticketTime: 1000, sign: () => new Uint8Array(bytes), signal };
    return (await createFlightInfo(answer, request, options)).endpoints;
  };
  expect((await ticketsOf(200)).length).toBeGreaterThan(1000);
  const large = await ticketsOf(2 ** 18);
  expect(large.length).toBeLessThanOrEqual(4);
  expect(large.at(-1)?.appMetadata).toEqual(new TextEncoder().encode(JSON.stringify({ rows: [750059520, 10 ** 9] })));
  expect(await ticketsOf(2 ** 21)).toHaveLength(1);
});

test("one client cannot take all streams: another one reads meanwhile", async () => {
  const several = await opened(4);
  const request = { kind: "table", path: ["a.h5ad"], table: "X" } as const;
  const places = await Promise.all([1, 2, 3].map((port) => several.room(request, `10.0.0.1:${port}`, signal)));
  let isFourth = false;
  const fourth = several.room(request, "10.0.0.1:4", signal).then((leave) => {
    isFourth = true;
    return leave;
  });
  const other = await several.room(request, "10.0.0.2:1", signal);
  expect([several.streams.inside, several.streams.waiting, isFourth]).toEqual([4, 1, false]);
  other();
  places[0]();
  (await fourth)();
  expect([several.streams.inside, several.streams.waiting]).toEqual([2, 0]);
  await several.close();
});
