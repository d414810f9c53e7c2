/** Connections that never become requests. */

import { connect } from "node:net";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { METHODS } from "../../src/flight/protocol/methods.js";
import { all } from "../flight/connected.js";
import { type ServedToClient, servedToClient } from "./served.js";

let it: ServedToClient;
beforeAll(async () => {
  it = await servedToClient({ stallSeconds: 1 });
});
afterAll(() => it.close());

/** Sends `text` and nothing more: milliseconds until the server ends the connection. */
function ended(port: number, text: string | Uint8Array): Promise<number> {
  const began = performance.now();
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    socket.on("error", () => undefined).resume();
    socket.on("close", () => resolve(performance.now() - began));
  });
}

const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/** A frame of HTTP/2: 4 is of settings, which may be empty. */
const settings = Uint8Array.of(0, 0, 0, 4, 0, 0, 0, 0, 0);

const HTTP = {
  "no head": "",
  "half of a head": "GET /pbmc.h5ad HTTP/1.1\r\nhost: loc",
  "a head without its body": "POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 10\r\n\r\n",
};
const FLIGHT = {
  nothing: "",
  "half of the preface": preface.slice(0, 10),
  "the preface without settings": preface,
  "no call": Buffer.concat([Buffer.from(preface), settings]),
  // Type 1 are headers; without the flag 4 others follow.
  "half of the headers": Buffer.concat([
    Buffer.from(preface),
    settings,
    Uint8Array.of(0, 0, 1, 1, 0, 0, 0, 0, 1, 0x83),
  ]),
};

test.each(Object.entries(HTTP))(
  "HTTP: %s",
  async (_, text) => {
    expect(await ended(it.server.httpPort ?? 0, text)).toBeLessThan(20_000);
  },
  60_000,
);

test.each(Object.entries(FLIGHT))(
  "Flight: %s",
  async (_, text) => {
    expect(await ended(it.server.port, text)).toBeLessThan(20_000);
  },
  60_000,
);

// grpc-js then finds the connection not idle long enough, and looks again after the time of a stall.
test("Flight: half of the headers, and a clock that is set back", async () => {
  const now = Date.now;
  const clock = vi.spyOn(Date, "now");
  const ending = ended(it.server.port, FLIGHT["half of the headers"]);
  await setTimeout(500);
  clock.mockImplementation(() => now() - 50);
  try {
    expect(await ending).toBeLessThan(20_000);
  } finally {
    clock.mockRestore();
  }
}, 60_000);

test("a connection that was idle is begun anew", async () => {
  await all(it.connection.stream(METHODS.doAction, { type: "health", body: new Uint8Array(0) }));
  await setTimeout(2000);
  const health = await all(it.connection.stream(METHODS.doAction, { type: "health", body: new Uint8Array(0) }));
  expect(health).toHaveLength(1);
});
