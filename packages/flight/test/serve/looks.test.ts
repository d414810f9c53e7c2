/** Requests that look into files without rows have a limit, over both protocols, and hold no place while a client is slow. */

import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { FlightConnection } from "../../src/flight/connection.js";
import { connectFlight } from "../../src/flight/grpc-client.node.js";
import { type FlightServer, startFlightServer } from "../../src/flight/grpc-server.node.js";
import { METHODS } from "../../src/flight/protocol/methods.js";
import { Serving } from "../../src/serve/answers/serving.node.js";
import { withStatuses } from "../../src/serve/flight/flight-errors.js";
import { FlightService } from "../../src/serve/flight/flight-service.node.js";
import { type HttpServer, startHttpServer } from "../../src/serve/http/http-server.node.js";
import { BUILT } from "./built-files.js";

const HOST = "127.0.0.1";
const PATH = { kind: "path", path: ["pbmc.h5ad", "obs"] } as const;

let serving: Serving;
let flight: FlightServer;
let http: HttpServer;
let connection: FlightConnection;
beforeAll(async () => {
  serving = await Serving.open({
    folders: ["examples"],
    ...{ token: null, ticketKey: null, readOnly: true, log: () => undefined },
    endpoints: { endpointBytes: 2 ** 26, ticketTime: 60_000 },
    streams: 1,
    ...{ pace: {}, uploads: {}, statements: {}, trials: { entry: BUILT.trialProcess } },
  });
  flight = await startFlightServer(withStatuses(new FlightService(serving)), { host: HOST, port: 0 });
  http = await startHttpServer(serving, { host: HOST, port: 0, tls: null, cors: [], allowHost: [], stall: 10_000 });
  connection = await connectFlight(`grpc://${HOST}:${flight.port}`);
});
afterAll(async () => {
  connection.close();
  await Promise.all([flight.close(), http.close(0)]);
  await serving.close();
});
beforeEach(async () => {
  await expect.poll(() => [serving.looks.inside, serving.looks.waiting]).toEqual([0, 0]);
});

async function flights(): Promise<number> {
  let count = 0;
  for await (const _ of connection.stream(METHODS.listFlights, { expression: new Uint8Array(0) })) count++;
  return count;
}

async function inspected(): Promise<void> {
  const body = new TextEncoder().encode(JSON.stringify({ dataset: "pbmc.h5ad" }));
  for await (const _ of connection.stream(METHODS.doAction, { type: "inspect", body }));
}

const CALLS: readonly (readonly [string, () => Promise<unknown>])[] = [
  ["ListFlights", flights],
  ["GetFlightInfo", () => connection.unary(METHODS.getFlightInfo, PATH)],
  ["PollFlightInfo", () => connection.unary(METHODS.pollFlightInfo, PATH)],
  ["GetSchema", () => connection.unary(METHODS.getSchema, PATH)],
  ["the action inspect", inspected],
];

/** One inside, and as many behind it as may wait; the function that it gives ends them. */
async function fill(): Promise<() => void> {
  const leave = await serving.looks.enter();
  const waiting = Array.from({ length: 16 }, () => new AbortController());
  for (const { signal } of waiting) serving.looks.enter(signal).catch(() => undefined);
  return () => {
    for (const one of waiting) one.abort();
    leave();
  };
}

test.each(CALLS)("%s is refused as DoGet is where too many wait, and answered later", async (_, call) => {
  const empty = await fill();
  await expect(call()).rejects.toMatchObject({
    cause: { status: "UNAVAILABLE", message: "too many requests: 1 run and 16 wait; try again later" },
  });
  empty();
  await call();
});

test.each(["/", "/sub/", "/pbmc.h5ad"])("GET %s is refused as rows are where too many wait", async (path) => {
  const empty = await fill();
  const response = await fetch(`http://${HOST}:${http.port}${path}`);
  expect([response.status, response.headers.get("retry-after")]).toEqual([429, "1"]);
  expect(await response.json()).toMatchObject({ error: "exhausted" });
  empty();
  const later = await fetch(`http://${HOST}:${http.port}${path}`);
  await later.arrayBuffer();
  expect(later.status).toBe(path === "/sub/" ? 404 : 200);
});

test("those that wait are answered in their turn", async () => {
  const leave = await serving.looks.enter();
  const all = Promise.all(CALLS.map(([, call]) => call()));
  await expect.poll(() => serving.looks.waiting).toBe(CALLS.length);
  leave();
  const [listed] = await all;
  expect(listed).toBeGreaterThan(5);
});

test("while a client takes a list slowly others get theirs", async () => {
  const slow = connection.stream(METHODS.listFlights, { expression: new Uint8Array(0) })[Symbol.asyncIterator]();
  await slow.next();
  expect(await flights()).toBeGreaterThan(5);
  await slow.return?.();
});
