/** Clients that stop in the middle, or send what makes no sense. */

import { readdirSync } from "node:fs";
import { type RecordBatch, tableFromArrays } from "apache-arrow";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { draws } from "../../../../test/draws.js";
import type { FlightDescriptor } from "../../src/flight/protocol/descriptor.js";
import type { FlightData } from "../../src/flight/protocol/flight-data.js";
import type { FlightMethod } from "../../src/flight/protocol/methods.js";
import { METHODS } from "../../src/flight/protocol/methods.js";
import { joinParts, ProtoWriter } from "../../src/flight/protocol/proto-writer.js";
import { findErrorStatus } from "../../src/flight/protocol/status.js";
import { all } from "../flight/connected.js";
import { dataOf, NO_BYTES } from "../flight/service.js";
import { type ServedToClient, servedToClient } from "./served.js";

let it: ServedToClient;
beforeAll(async () => {
  it = await servedToClient({ stallSeconds: 0.5 });
});
afterAll(() => it.close());

const command = (content: object): FlightDescriptor => ({
  kind: "command",
  command: new TextEncoder().encode(JSON.stringify(content)),
});

async function messagesOf(batches: readonly RecordBatch[], descriptor: FlightDescriptor): Promise<FlightData[]> {
  const [first, ...rest] = await all(dataOf(batches));
  return [{ ...first, descriptor }, ...rest];
}

const { batches } = tableFromArrays({ _index: ["a", "b"], n: Int32Array.of(1, 2) });

describe("an upload that stands still", () => {
  async function* andNothingMore(messages: readonly FlightData[]) {
    yield* messages;
    await new Promise(() => undefined);
  }
  const beginnings = { "the schema": 1, "a batch": 2 };

  test.each(Object.entries(beginnings))(
    "behind %s ends, and leaves nothing",
    async (_, count) => {
      const put = await messagesOf(batches, { kind: "path", path: ["new.h5ad", "obs"] });
      const before = readdirSync(it.folder);
      const uploading = all(it.connection.duplex(METHODS.doPut, andNothingMore(put.slice(0, count))));
      await expect(uploading).rejects.toMatchObject({ cause: { status: "DEADLINE_EXCEEDED" } });
      expect(readdirSync(it.folder)).toEqual(before);
    },
    10_000,
  );

  test("makes room for others: as many as are taken at once end", async () => {
    const stalled = Array.from({ length: 64 }, async (_, i) => {
      const put = await messagesOf(batches, { kind: "path", path: [`new${i}.h5ad`, "obs"] });
      await all(it.connection.duplex(METHODS.doPut, andNothingMore(put.slice(0, 1))));
    });
    const ends = Promise.allSettled(stalled);
    const put = await messagesOf(batches, { kind: "path", path: ["after.h5ad", "obs"] });
    expect(await all(it.connection.duplex(METHODS.doPut, put))).toHaveLength(1);
    await all(it.connection.stream(METHODS.doAction, { type: "abort", body: json({ dataset: "after.h5ad" }) }));
    expect((await ends).map(({ status }) => status)).toEqual(stalled.map(() => "rejected"));
    expect(readdirSync(it.folder).filter((name) => name.includes("upload"))).toEqual([]);
  }, 20_000);

  test("and so does an exchange", async () => {
    const exchange = await messagesOf(batches, command({ sql: "select * from mine", upload: "mine" }));
    const asking = all(it.connection.duplex(METHODS.doExchange, andNothingMore(exchange)));
    await expect(asking).rejects.toMatchObject({ cause: { status: "DEADLINE_EXCEEDED" } });
  }, 20_000);
});

describe("what makes no sense is the client's fault", () => {
  /** A method that is asked with these bytes. */
  function sending<Q, S>(method: FlightMethod<Q, S>, bytes: Uint8Array): FlightMethod<object, S> {
    const write = () => {
      const out = new ProtoWriter();
      return Object.assign(out, { finish: () => ({ parts: [bytes], length: bytes.length }) });
    };
    return { ...method, request: { write, read: () => ({}) } };
  }

  /** How the call ends. */
  async function end(method: keyof typeof METHODS, bytes: Uint8Array): Promise<string> {
    try {
      await all(it.connection.duplex(sending(METHODS[method] as FlightMethod<unknown, unknown>, bytes), [{}]));
      return "OK";
    } catch (error) {
      return findErrorStatus(error) ?? String(error);
    }
  }

  const names = Object.keys(METHODS) as (keyof typeof METHODS)[];
  const stacks = () => it.lines.filter((line) => /"stack"|"level":"error"/.test(line));

  test.each(names)("%s: a message that is cut off", async (method) => {
    // Field 1 has ten bytes, of which there is one.
    expect(await end(method, Uint8Array.of(0x0a, 10, 1))).toBe("INVALID_ARGUMENT");
    expect(stacks()).toEqual([]);
  });

  test.each(["CancelFlightInfo", "RenewFlightEndpoint"])("the body of %s", async (type) => {
    const body = Uint8Array.of(0x0a, 10, 1);
    expect(await end("doAction", joinParts(new ProtoWriter().string(1, type).bytes(2, body).finish()))).toBe(
      "INVALID_ARGUMENT",
    );
    expect(stacks()).toEqual([]);
  });

  test("any bytes, to any method", async () => {
    const any = fc.oneof(fc.uint8Array({ maxLength: 40 }), fc.uint8Array({ maxLength: 30 }).map(delimited));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...names), any, async (method, bytes) => {
        expect(await end(method, bytes)).not.toMatch(/INTERNAL|UNKNOWN/);
      }),
      draws(300),
    );
    expect(stacks()).toEqual([]);
  });

  test("messages of Arrow with any byte changed", async () => {
    const put = await messagesOf(batches, command({ dataset: "new.h5ad", table: "obs", upload: "x" }));
    const bytes = fc.constantFrom("header" as const, "body" as const);
    await fc.assert(
      fc.asyncProperty(fc.nat(put.length - 1), bytes, fc.nat(), fc.nat(255), async (which, part, at, value) => {
        const messages = put.map((one, i) => (i === which ? changed(one, part, at, value) : one));
        try {
          await all(it.connection.duplex(METHODS.doPut, messages));
        } catch (error) {
          expect(findErrorStatus(error)).toMatch(/INVALID_ARGUMENT|UNIMPLEMENTED/);
        }
      }),
      draws(300),
    );
    expect(stacks()).toEqual([]);
  });
});

function json(value: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

/** As field 1 and 2 of a message. */
function delimited(bytes: Uint8Array): Uint8Array {
  return Uint8Array.of(0x0a, bytes.length, ...bytes, 0x12, bytes.length, ...bytes);
}

function changed(data: FlightData, part: "header" | "body", at: number, value: number): FlightData {
  const bytes = Uint8Array.from(part === "header" ? data.header : (data.body.flatMap((one) => [...one]) ?? NO_BYTES));
  if (bytes.length > 0) bytes[at % bytes.length] = value;
  return part === "header" ? { ...data, header: bytes } : { ...data, body: [bytes] };
}
