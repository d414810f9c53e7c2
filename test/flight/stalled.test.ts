/** Clients that do not go on, over a real connection. */

import { setTimeout } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import type { FlightConnection, FlightOptions } from "../../src/flight/connection.js";
import { connectFlight } from "../../src/flight/grpc-client.node.js";
import { METHODS } from "../../src/flight/methods.js";
import type { FlightHandlers } from "../../src/flight/service.js";
import { NO_BYTES, service, text } from "./service.js";

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

async function connected(
  handlers: Partial<FlightHandlers>,
  options: Parameters<typeof service>[1] = {},
  client: FlightOptions = {},
): Promise<FlightConnection> {
  const server = await service(handlers, options);
  const connection = await connectFlight(server.uri, client);
  open.push(server, connection);
  return connection;
}

const large = [new Uint8Array(2 ** 20).fill(1), new Uint8Array(2 ** 20).fill(2)];
const data = { descriptor: null, header: text("header"), appMetadata: NO_BYTES, body: large };
const TICKET = { ticket: text("t") };

async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const value of values) found.push(value);
  return found;
}

test("a client that takes nothing is cut off, and its handler is ended", async () => {
  const ends: (string | null)[] = [];
  let ended = 0;
  const connection = await connected(
    {
      async *doGet() {
        try {
          for (let i = 0; i < 100; i++) yield data;
        } finally {
          ended++;
        }
      },
      getSchema: async () => ({ schema: text("s") }),
    },
    { stallMilliseconds: 300, after: (_, error) => ends.push(error && `${error.status}: ${error.message}`) },
  );
  const reading = (async () => {
    for await (const _ of connection.stream(METHODS.doGet, TICKET)) await setTimeout(1500);
  })();
  reading.catch(() => undefined);
  await expect.poll(() => ended, { timeout: 3000 }).toBe(1);
  expect(ends).toEqual(["DEADLINE_EXCEEDED: the client takes nothing for 0.3 s"]);
  // The connection lasts, and others on it are answered.
  expect(await connection.unary(METHODS.getSchema, { kind: "unknown" })).toEqual({ schema: text("s") });
  await expect(reading).rejects.toMatchObject({ cause: { status: "RESOURCE_EXHAUSTED" } });
}, 30_000);

test("a client that is slow, but goes on, is not", async () => {
  const connection = await connected(
    {
      async *doGet() {
        for (let i = 0; i < 8; i++) yield data;
      },
    },
    { stallMilliseconds: 1000 },
  );
  let taken = 0;
  for await (const _ of connection.stream(METHODS.doGet, TICKET)) {
    taken++;
    await setTimeout(200);
  }
  expect(taken).toBe(8);
});

test("a client that sends nothing is told so", async () => {
  let seen: unknown;
  const connection = await connected(
    {
      async *doPut(messages) {
        try {
          for await (const { appMetadata } of messages) yield { appMetadata };
        } catch (error) {
          seen = error;
          throw error;
        }
      },
    },
    { stallMilliseconds: 300 },
  );
  async function* requests() {
    yield data;
    await setTimeout(2000);
  }
  await expect(all(connection.duplex(METHODS.doPut, requests()))).rejects.toMatchObject({
    cause: { status: "DEADLINE_EXCEEDED", message: "the client sends nothing for 0.3 s" },
  });
  expect(seen).toMatchObject({ status: "DEADLINE_EXCEEDED" });
});
