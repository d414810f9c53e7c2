/** Clients that do not go on, over a real connection. */

import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { METHODS } from "../../src/flight/methods.js";
import { all, connected, data, TICKET } from "./connected.js";
import { text } from "./service.js";

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
