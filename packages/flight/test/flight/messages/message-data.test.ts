/** Messages that go out where they lie: their bytes, and when their memory is nobody's any more. */

import { setTimeout } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeBatchMessage, encodeSchemaMessage } from "../../../../../src/ipc/write/message.js";
import { arbitraryType, columnsOf, fieldsOf } from "../../../../../test/arrow/arbitrary-column.js";
import { draws } from "../../../../../test/draws.js";
import {
  type TableMessage,
  toFramedFlightData,
  toMessageFlightData,
  toSchemaFlightData,
} from "../../../src/flight/messages/message-data.js";
import { type FlightData, readFlightData } from "../../../src/flight/protocol/flight-data.js";
import { METHODS } from "../../../src/flight/protocol/methods.js";
import { connected, TICKET } from "../connected.js";

const nobody = () => undefined;
const int32 = { id: "Int", bits: 32, signed: true } as const;

function numbers(values: Int32Array): TableMessage {
  const { length } = values;
  return encodeBatchMessage([{ layout: "primitive", type: int32, length, validity: null, values }], length);
}

test("a frame is what gRPC would make of the message", () => {
  const tables = fc
    .tuple(fc.array(arbitraryType(), { minLength: 1, maxLength: 4 }), fc.nat(300))
    .chain(([types, length]) =>
      columnsOf(fieldsOf(types), length).map((columns) => encodeBatchMessage(columns, length)),
    );
  fc.assert(
    fc.property(tables, (message) => {
      const right = toMessageFlightData({ ...message, bytes: message.bytes.slice() });
      const found = toFramedFlightData(message, nobody);
      const bytes = found?.frame?.bytes ?? new Uint8Array(5);
      expect(bytes[0]).toBe(0);
      expect(new DataView(bytes.buffer, bytes.byteOffset).getUint32(1)).toBe(bytes.length - 5);
      for (const { header, body, appMetadata } of [readFlightData(bytes.subarray(5)), found ?? right]) {
        const { length } = header;
        expect(length).toBeGreaterThanOrEqual(right.header.length - 8);
        expect(header).toEqual(right.header.subarray(0, length));
        expect(right.header.subarray(length).every((byte) => byte === 0)).toBe(true);
        expect(body).toEqual(right.body);
        expect(appMetadata.length).toBe(0);
      }
    }),
  );
});

test("where a length has no room the message stays as it is", () => {
  const columns = Array.from({ length: 400 }, (_, i) => {
    return { layout: "primitive", type: int32, length: 1, validity: null, values: Int32Array.of(i) } as const;
  });
  const wide = encodeBatchMessage(columns, 1);
  const copy = wide.bytes.slice();
  expect(toFramedFlightData(wide, nobody)).toBeNull();
  const narrow = numbers(Int32Array.of(1));
  expect(toFramedFlightData({ ...narrow, spare: 0 }, nobody)).toBeNull();
  expect(toFramedFlightData({ ...narrow, spare: 2 }, nobody)).toBeNull();
  expect(wide.bytes).toEqual(copy);
  expect(narrow.bytes).toEqual(numbers(Int32Array.of(1)).bytes);
});

describe("memory of frames", () => {
  const schema = toSchemaFlightData(encodeSchemaMessage([{ name: "a", type: int32, nullable: true }], new Map()).bytes);

  /** Message `i` of so many numbers, in memory that is taken, or new. */
  function framed(i: number, length: number, free: Uint8Array<ArrayBuffer>[]): FlightData {
    const values = new Int32Array(length).fill(i);
    const take = (bytes: number) => (free.pop() ?? new Uint8Array(2 ** 21)).subarray(0, bytes);
    const column = { layout: "primitive", type: int32, length, validity: null, values } as const;
    const message = encodeBatchMessage([column], length, take);
    const memory = new Uint8Array(message.bytes.buffer);
    const data = toFramedFlightData(message, () => {
      // Whoever still looks at it would see this, or the next message.
      memory.fill(0xee);
      free.push(memory);
    });
    if (data === null) throw new TypeError("there is room for a frame");
    return data;
  }

  test("is used again at once, and every client gets what was meant for it", async () => {
    const reader = fc.array(fc.nat({ max: 12 }), { minLength: 3, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(fc.array(reader, { minLength: 1, maxLength: 3 }), async (readers) => {
        const free: Uint8Array<ArrayBuffer>[] = [];
        const connection = await connected({
          async *doGet() {
            yield schema;
            for (let i = 0; i < 12; i++) yield framed(i, i % 3 === 2 ? 1000 : 500_000, free);
          },
        });
        const read = async (waits: readonly number[]) => {
          const bodies: number[] = [];
          let at = 0;
          for await (const { body } of connection.stream(METHODS.doGet, TICKET)) {
            const wait = waits[at++ % waits.length];
            if (wait > 6) await setTimeout(wait);
            if (body.length === 0 || body[0].length === 0) continue;
            const [first, ...others] = new Set(new Int32Array(body[0].slice().buffer));
            bodies.push(first);
            // Padding is zero.
            expect(others.every((one) => one === 0)).toBe(true);
          }
          expect(bodies).toEqual(Array.from({ length: 12 }, (_, i) => i));
        };
        await Promise.all(readers.map(read));
        expect(free.length).toBeLessThanOrEqual(3 * readers.length);
      }),
      draws(12),
    );
  });

  test("is told of when it was sent, not before, and never where the client has left", async () => {
    let [made, sent] = [0, 0];
    const connection = await connected({
      async *doGet() {
        yield schema;
        for (; made < 100; made++) {
          const data = framed(made, 500_000, []);
          yield { ...data, ...(data.frame && { frame: { ...data.frame, sent: () => void sent++ } }) };
        }
      },
    });
    const stream = connection.stream(METHODS.doGet, TICKET)[Symbol.asyncIterator]();
    await stream.next();
    await stream.next();
    await setTimeout(300);
    expect(made).toBeLessThan(20);
    // One is on its way, the next one waits for it.
    await expect.poll(() => made - sent).toBe(1);
    await stream.return?.();
    await setTimeout(100);
    await expect.poll(() => made - sent).toBe(1);
  });
});
