/** The adapter of gRPC, both of its sides over a real connection. */

import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { InvalidInputError, NotFoundError } from "../../../../src/model/errors.js";
import { connectFlight } from "../../src/flight/grpc-client.node.js";
import type { FlightData } from "../../src/flight/protocol/flight-data.js";
import { METHODS } from "../../src/flight/protocol/methods.js";
import { ProtoWriter } from "../../src/flight/protocol/proto-writer.js";
import type { FlightHandlers, ServerCall } from "../../src/flight/protocol/service.js";
import { CallError, callError } from "../../src/flight/protocol/status.js";
import { all, closedAfterTest, connected, data, large, TICKET } from "./connected.js";
import { metadataOnly } from "./metadata-only.js";
import { NO_BYTES, service, text } from "./service.js";

describe("calls", () => {
  test("one answer", async () => {
    const connection = await connected({ getSchema: async () => ({ schema: text("schema") }) });
    const found = await connection.unary(METHODS.getSchema, { kind: "path", path: ["a"] });
    expect(found).toEqual({ schema: text("schema") });
  });

  test("many answers, whose pieces arrive as one", async () => {
    const connection = await connected({
      async *doGet(ticket) {
        expect(ticket).toEqual(TICKET);
        yield data;
        yield metadataOnly(text("m"));
      },
    });
    const [first, second] = await all(connection.stream(METHODS.doGet, TICKET));
    expect(first.header).toEqual(text("header"));
    expect(first.body.length).toBe(1);
    expect(Buffer.concat(large).equals(first.body[0])).toBe(true);
    expect(second).toEqual(metadataOnly(text("m")));
  });

  test("many requests; the answers come between them", async () => {
    const order: string[] = [];
    const connection = await connected({
      async *doPut(messages) {
        for await (const { appMetadata } of messages) yield { appMetadata };
      },
    });
    async function* requests(): AsyncGenerator<FlightData> {
      for (const name of ["a", "b", "c"]) {
        order.push(`sent ${name}`);
        yield { ...data, appMetadata: text(name) };
        await expect.poll(() => order.at(-1)).toBe(`answered ${name}`);
      }
    }
    for await (const { appMetadata } of connection.duplex(METHODS.doPut, requests())) {
      order.push(`answered ${new TextDecoder().decode(appMetadata)}`);
    }
    expect(order).toEqual(["sent a", "answered a", "sent b", "answered b", "sent c", "answered c"]);
  });

  test("a handler may answer before it has read everything", async () => {
    const connection = await connected({
      async *doPut(messages) {
        for await (const _ of messages) break;
        yield { appMetadata: text("enough") };
      },
    });
    const found = await all(connection.duplex(METHODS.doPut, [data, data, data, data]));
    expect(found).toEqual([{ appMetadata: text("enough") }]);
  });

  test("headers of both sides", async () => {
    let seen: ServerCall | undefined;
    const connection = await connected(
      {
        async *listActions(call) {
          seen = call;
          call.setHeader("x-answer", "yes");
          yield { type: "a", description: "b" };
        },
      },
      {},
      { token: "secret", headers: { "x-own": "1" } },
    );
    expect(await all(connection.stream(METHODS.listActions, {}))).toEqual([{ type: "a", description: "b" }]);
    expect(seen?.metadata("authorization")).toEqual(["Bearer secret"]);
    expect(seen?.metadata("x-own")).toEqual(["1"]);
    expect(seen?.metadata("x-none")).toEqual([]);
    expect(seen?.method).toBe("ListActions");
    expect(seen?.peer).toMatch(/^127\.0\.0\.1:\d+$/);
    expect(seen?.signal.aborted).toBe(true);
  });
});

describe("back-pressure and cancellation", () => {
  async function counting() {
    const state = { made: 0, ended: 0 };
    const connection = await connected({
      async *doGet() {
        try {
          for (; state.made < 100; state.made++) yield data;
        } finally {
          state.ended++;
        }
      },
    });
    return { state, connection };
  }

  test("a slow reader is sent no more than a few messages ahead", async () => {
    const { state, connection } = await counting();
    let taken = 0;
    for await (const _ of connection.stream(METHODS.doGet, TICKET)) {
      taken++;
      await setTimeout(100);
      // The window of the connection holds two messages, either side two more.
      expect(state.made - taken).toBeLessThanOrEqual(7);
      if (taken === 5) break;
    }
    await expect.poll(() => state.ended).toBe(1);
  });

  test("leaving early ends the handler", async () => {
    const { state, connection } = await counting();
    for await (const _ of connection.stream(METHODS.doGet, TICKET)) break;
    await expect.poll(() => state.ended).toBe(1);
    expect(state.made).toBeLessThan(10);
  });

  test("a signal ends the call with its reason", async () => {
    const { state, connection } = await counting();
    const controller = new AbortController();
    const reading = (async () => {
      for await (const _ of connection.stream(METHODS.doGet, TICKET, { signal: controller.signal })) {
        controller.abort(new Error("enough"));
      }
    })();
    await expect(reading).rejects.toThrow("enough");
    await expect.poll(() => state.ended).toBe(1);
    await expect(all(connection.stream(METHODS.doGet, TICKET, { signal: controller.signal }))).rejects.toThrow(
      "enough",
    );
  });

  test("a signal ends a call that waits for its answer", async () => {
    let aborted = false;
    const connection = await connected({
      getSchema: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            aborted = true;
            reject(signal.reason);
          });
        }),
    });
    const controller = new AbortController();
    const call = connection.unary(METHODS.getSchema, { kind: "unknown" }, { signal: controller.signal });
    await setTimeout(50);
    controller.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
    await expect.poll(() => aborted).toBe(true);
  });

  test("a client that goes away in the middle of an upload is no end of it", async () => {
    let outcome: unknown = "none";
    const connection = await connected({
      async *doPut(messages) {
        try {
          for await (const { appMetadata } of messages) yield { appMetadata };
          outcome = "ended";
        } catch (error) {
          outcome = error;
        }
      },
    });
    async function* requests(): AsyncGenerator<FlightData> {
      yield data;
      await setTimeout(50);
      connection.close();
      controller.abort(new Error("gone"));
      await setTimeout(5000);
    }
    const controller = new AbortController();
    const upload = all(connection.duplex(METHODS.doPut, requests(), { signal: controller.signal }));
    await expect(upload).rejects.toThrow("gone");
    await expect.poll(() => outcome).toMatchObject({ name: "AbortError" });
  });
});

describe("errors", () => {
  test.each<[string, unknown, string, string]>([
    ["NotFoundError", new NotFoundError("no table x"), "NotFoundError", "the server says NOT_FOUND: no table x"],
    ["InvalidInputError", new InvalidInputError("bad ä\nb"), "InvalidInputError", "INVALID_ARGUMENT: bad ä\nb"],
    ["a status", new CallError("UNAUTHENTICATED", "who?"), "InvalidInputError", "UNAUTHENTICATED: who?"],
    ["too much", new CallError("RESOURCE_EXHAUSTED", "later"), "UnsupportedError", "RESOURCE_EXHAUSTED: later"],
    [
      "others, which say nothing of themselves",
      new TypeError("secret"),
      "InvalidDataError",
      "INTERNAL: internal error",
    ],
  ])("%s", async (_, thrown, tag, message) => {
    const fail = () => {
      throw thrown;
    };
    const connection = await connected({
      getSchema: async () => fail(),
      async *doGet() {
        yield metadataOnly(text("m"));
        fail();
      },
      doAction: fail,
    });
    const expected = { tag, message: expect.stringContaining(message) };
    await expect(connection.unary(METHODS.getSchema, { kind: "unknown" })).rejects.toMatchObject(expected);
    await expect(all(connection.stream(METHODS.doGet, TICKET))).rejects.toMatchObject(expected);
    const action = { type: "a", body: NO_BYTES };
    await expect(all(connection.stream(METHODS.doAction, action))).rejects.toMatchObject(expected);
  });

  test("requests that are no messages are the client's fault, and the server goes on", async () => {
    const connection = await connected({ getSchema: async () => ({ schema: text("s") }) });
    const broken = {
      ...METHODS.getSchema,
      request: { ...METHODS.getSchema.request, write: () => new ProtoWriter().bytes(1, text("no number")) },
    };
    await expect(connection.unary(broken, { kind: "unknown" })).rejects.toMatchObject({
      tag: "InvalidInputError",
      problem: expect.stringContaining("field 1 of FlightDescriptor is written as delimited, expected varint"),
    });
    expect(await connection.unary(METHODS.getSchema, { kind: "unknown" })).toEqual({ schema: text("s") });
  });

  test("messages that are larger than is taken", async () => {
    const connection = await connected(
      {
        async *doGet() {
          yield data;
        },
        async *doPut(messages) {
          for await (const { appMetadata } of messages) yield { appMetadata };
        },
      },
      { maxReceiveBytes: 1000 },
      { maxMessageBytes: 1000 },
    );
    const expected = { tag: "UnsupportedError", message: expect.stringMatching(/larger than max \(2097\d+ vs 1000\)/) };
    await expect(all(connection.stream(METHODS.doGet, TICKET))).rejects.toMatchObject(expected);
    await expect(all(connection.duplex(METHODS.doPut, [data]))).rejects.toMatchObject(expected);
  });

  test("nobody there", async () => {
    const connection = await connectFlight("grpc://127.0.0.1:1");
    closedAfterTest(connection);
    await expect(connection.unary(METHODS.getSchema, { kind: "unknown" })).rejects.toMatchObject({
      tag: "NotFoundError",
      message: expect.stringMatching(/the server cannot be reached: No connection .* ECONNREFUSED 127\.0\.0\.1:1\.$/),
    });
  });

  test("what runs before calls, what errors become, and what is told after", async () => {
    const told: unknown[] = [];
    const connection = await connected(
      { getSchema: async () => ({ schema: text("s") }) },
      {
        before: ({ metadata }) => {
          if (metadata("authorization")[0] !== "Bearer right") throw new Error("wrong token");
        },
        failure: (error) =>
          error instanceof Error ? new CallError("PERMISSION_DENIED", error.message) : callError(error),
        after: ({ method }, error) => told.push([method, error?.status ?? null]),
      },
      { token: "wrong" },
    );
    await expect(connection.unary(METHODS.getSchema, { kind: "unknown" })).rejects.toThrow("wrong token");
    expect(told).toEqual([["GetSchema", "PERMISSION_DENIED"]]);
  });

  test("an address that is taken, or that this machine has not: nothing is printed", async () => {
    const printed = vi.spyOn(console, "error");
    const server = await service({});
    closedAfterTest(server);
    const { port } = server;
    await expect(service({}, { port })).rejects.toMatchObject({
      status: "UNAVAILABLE",
      message: `cannot listen on 127.0.0.1:${port}: listen EADDRINUSE: address already in use 127.0.0.1:${port}`,
    });
    await expect(service({}, { host: "192.0.2.1" })).rejects.toThrow(
      "cannot listen on 192.0.2.1:0: listen EADDRNOTAVAIL",
    );
    await expect(service({}, { host: "nosuch.invalid" })).rejects.toThrow(
      "cannot listen on nosuch.invalid:0: getaddrinfo",
    );
    expect(printed).not.toHaveBeenCalled();
    printed.mockRestore();
  });

  test("a name of this machine", async () => {
    const server = await service({ getSchema: async () => ({ schema: text("s") }) }, { host: "localhost" });
    closedAfterTest(server);
    const connection = await connectFlight(`grpc://localhost:${server.port}`);
    closedAfterTest(connection);
    expect(await connection.unary(METHODS.getSchema, { kind: "unknown" })).toEqual({ schema: text("s") });
  });
});

describe("encrypted connections", () => {
  // Made by: openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 36500
  //   -subj "/CN=annarrow test" -addext "subjectAltName=IP:127.0.0.1,DNS:localhost"
  const [certificate, key] = ["certificate", "key"].map((name) =>
    readFileSync(`test/fixtures/data/flight/${name}.pem`),
  );
  const handlers: Partial<FlightHandlers> = { getSchema: async () => ({ schema: text("s") }) };

  test("to whom is trusted", async () => {
    const connection = await connected(handlers, { tls: { certificate, key } }, { tlsRoots: certificate });
    expect(connection.name).toMatch(/^grpc\+tls:\/\/127\.0\.0\.1:/);
    expect(await connection.unary(METHODS.getSchema, { kind: "unknown" })).toEqual({ schema: text("s") });
  });

  test("not to others", async () => {
    const connection = await connected(handlers, { tls: { certificate, key } });
    await expect(connection.unary(METHODS.getSchema, { kind: "unknown" })).rejects.toMatchObject({
      tag: "NotFoundError",
      message: expect.stringContaining("self-signed certificate"),
    });
  });
});

describe("who asks", () => {
  const handlers: Partial<FlightHandlers> = {
    async *handshake(_, call) {
      const [header] = call.metadata("authorization");
      if (
        header !== `Basic ${btoa("me:pässword")}` &&
        header !== `Basic ${Buffer.from("me:pässword").toString("base64")}`
      )
        throw new CallError("UNAUTHENTICATED", "no");
      call.setHeader("authorization", "Bearer made");
      yield { protocolVersion: 0n, payload: NO_BYTES };
    },
    async getSchema(_, call) {
      return { schema: text(call.metadata("authorization").join()) };
    },
  };

  test("a name and a password become a token, once", async () => {
    let handshakes = 0;
    const after = ({ method }: ServerCall) => {
      if (method === "Handshake") handshakes++;
    };
    const connection = await connected(handlers, { after }, { basic: { username: "me", password: "pässword" } });
    const calls = [0, 1, 2].map(() => connection.unary(METHODS.getSchema, { kind: "unknown" }));
    for (const { schema } of await Promise.all(calls)) expect(schema).toEqual(text("Bearer made"));
    expect(handshakes).toBe(1);
  });

  test("a wrong password", async () => {
    const connection = await connected(handlers, {}, { basic: { username: "me", password: "x" } });
    await expect(connection.unary(METHODS.getSchema, { kind: "unknown" })).rejects.toThrow("UNAUTHENTICATED: no");
  });
});
