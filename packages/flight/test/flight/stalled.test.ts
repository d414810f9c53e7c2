/** Clients that do not go on, over a real connection. */

import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import type { FlightData } from "../../src/flight/protocol/flight-data.js";
import { METHODS } from "../../src/flight/protocol/methods.js";
import type { FlightHandlers } from "../../src/flight/protocol/service.js";
import { all, closedAfterTest, connected, data, TICKET } from "./connected.js";
import { service, text } from "./service.js";

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
  await expect.poll(() => ended).toBe(1);
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
  await expect(all(connection.duplex(METHODS.doPut, nothingMore()))).rejects.toMatchObject({
    cause: { status: "DEADLINE_EXCEEDED", message: "the client sends nothing for 0.3 s" },
  });
  expect(seen).toMatchObject({ status: "DEADLINE_EXCEEDED" });
}, 10_000);

/** One message, and then neither another one nor an end. */
async function* nothingMore(): AsyncGenerator<FlightData> {
  yield data;
  await new Promise(() => undefined);
}

test.each(["GetSchema", "DoGet", "DoAction", "DoPut"])(
  "%s that is asked nothing ends too",
  async (method) => {
    const doPut: FlightHandlers["doPut"] = async function* (messages) {
      for await (const _ of messages) yield* [];
    };
    const server = await service({ doPut }, { stallMilliseconds: 300 });
    closedAfterTest(server);
    const session = connectHttp2(server.uri.replace("grpc:", "http:"));
    closedAfterTest({ close: () => session.destroy() });
    const stream = session.request(
      {
        ":method": "POST",
        ":path": `/arrow.flight.protocol.FlightService/${method}`,
        "content-type": "application/grpc",
        te: "trailers",
      },
      { endStream: false },
    );
    const [headers] = await once(stream, "response");
    expect(headers).toMatchObject({ "grpc-status": "4" });
    stream.resume();
    // The call leaves nothing on the connection.
    await once(stream, "close");
  },
  10_000,
);
