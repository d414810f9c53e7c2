/** Streams of pyarrow as Flight sends them: the same messages, one by one. */

import { readFileSync } from "node:fs";
import { type RecordBatch, Table } from "apache-arrow";
import fc from "fast-check";
import { Builder } from "flatbuffers";
import { describe, expect, test } from "vitest";
import { plainValues } from "../../../../../test/readers/tables/plain-values.js";
import {
  type DecodeOptions,
  DictionaryCache,
  decodeSchema,
  FlightDecoder,
} from "../../../src/flight/messages/decode.js";
import type { FlightData } from "../../../src/flight/protocol/flight-data.js";
import { metadataOnly } from "../metadata-only.js";
import { fixtureData } from "../stream-data.js";

const json = (path: string) => JSON.parse(readFileSync(`test/fixtures/data/${path}`, "utf8"));
const EXPECTED = json("flight/expected.json");

async function decoded(messages: readonly FlightData[], options: DecodeOptions = {}): Promise<RecordBatch[]> {
  const decoder = new FlightDecoder(options);
  const batches: RecordBatch[] = [];
  for (const message of messages) {
    const found = await decoder.take(message);
    if (found?.batch) batches.push(await found.batch());
  }
  return batches.length > 0 ? batches : [decoder.empty()];
}

const valuesOf = (batches: RecordBatch[]) => plainValues(new Table(batches));

describe("all types, compressed and not", () => {
  test.each(["pyarrow.arrows", "pyarrow_plain.arrow", "pyarrow_lz4.arrow", "pyarrow_zstd.arrow"])(
    "%s",
    async (file) => {
      const messages = fixtureData(`tables/${file}`);
      const right = json("tables/pyarrow.json");
      const found = valuesOf(await decoded(messages));
      for (const name of Object.keys(right)) expect(found[name], name).toEqual(right[name]);
      const columns = [5, 0, Object.keys(right).indexOf("coded_list")];
      const some = valuesOf(await decoded(messages, { columns }));
      expect(some).toEqual(Object.fromEntries(columns.map((at) => Object.entries(right)[at])));
    },
  );

  test("text in views, and unions", async () => {
    expect(valuesOf(await decoded(fixtureData("tables/views.arrow")))).toEqual(json("tables/views.json"));
  });

  test("text of more than one block of LZ4", async () => {
    const { text } = valuesOf(await decoded(fixtureData("tables/long_lz4.arrow")));
    expect(text.length).toBe(6000);
    expect(text[5999]).toBe("row 5999 of a text that repeats itself");
  });

  test("version 4 of the metadata, in which unions have a bitmap", async () => {
    expect(valuesOf(await decoded(fixtureData("flight/v4.arrows")))).toEqual({
      ...EXPECTED.v4,
      i: ["1", null, "3"],
    });
    const union = fixtureData("flight/v5_union.arrows");
    expect(valuesOf(await decoded(union)).u).toEqual(["7", "t"]);
    // The same without a bitmap lacks a buffer.
    await expect(decoded(union.map((message) => withVersion(message, 3)))).rejects.toMatchObject({
      tag: "InvalidDataError",
      problem: expect.stringMatching(/^a record batch has 3 columns, \d+ buffers and 0 views, its schema 3, /),
    });
    await expect(decoded(union.map((message) => withVersion(message, 2)))).rejects.toThrow(
      "the metadata have the version V3; V4 and V5 are read",
    );
  });
});

describe("dictionaries", () => {
  test.each(["delta", "delta_zstd"])("that grow: %s", async (name) => {
    const batches = await decoded(fixtureData(`flight/${name}.arrows`));
    expect(valuesOf(batches).c).toEqual(EXPECTED.delta);
  });

  test("that are replaced; one that comes again is the same vector", async () => {
    const batches = await decoded(fixtureData("flight/replaced.arrows"));
    expect(valuesOf(batches).c).toEqual(EXPECTED.replaced);
    const [first, second, third] = batches.map(({ data }) => data.children[0].dictionary);
    expect(third).toBe(first);
    expect(second).not.toBe(first);
  });

  test("of several streams of one table are the same vectors", async () => {
    const known = new DictionaryCache();
    const streams = [0, 1].map(() => decoded(fixtureData("tables/pyarrow_plain.arrow"), { known }));
    const [one, other] = (await Promise.all(streams)).map((batches) =>
      batches.flatMap(({ data }) => data.children.map(({ dictionary }) => dictionary)),
    );
    expect(one.filter((vector) => vector !== undefined).length).toBe(8);
    expect(other).toEqual(one);
    for (const [i, vector] of one.entries()) expect(other[i]).toBe(vector);
  });

  test("within lists and structs, and of lists", async () => {
    const batches = await decoded(fixtureData("flight/nested.arrows"));
    expect(valuesOf(batches)).toEqual(EXPECTED.nested);
  });

  test("of a stream without batches, and of a batch without rows", async () => {
    const [none] = await decoded(fixtureData("flight/none.arrows"));
    expect(none.numRows).toBe(0);
    expect(String(none.schema.fields[0].type)).toBe("Dictionary<Int8, Utf8>");
    const [noRows] = await decoded(fixtureData("flight/no_rows.arrows"));
    expect(noRows.numRows).toBe(0);
    expect(noRows.data.children[0].dictionary?.get(0)).toBe("unused");
  });

  test("that are missing", async () => {
    const [schema, , batch] = fixtureData("flight/delta.arrows");
    await expect(decoded([schema, batch])).rejects.toMatchObject({
      tag: "InvalidDataError",
      problem: "c has no dictionary, it should have the number 0",
    });
  });
});

describe("metadata of the application", () => {
  const metadata = Uint8Array.of(1, 2);

  test("alone, before the schema and between batches", async () => {
    const decoder = new FlightDecoder();
    expect(await decoder.take(metadataOnly(metadata))).toEqual({ rows: 0, appMetadata: metadata, batch: null });
    for (const message of fixtureData("flight/v4.arrows")) await decoder.take(message);
    expect(await decoder.take(metadataOnly(metadata))).toEqual({ rows: 0, appMetadata: metadata, batch: null });
    expect(await decoder.take(metadataOnly(new Uint8Array(0)))).toBeNull();
  });

  test("with a batch", async () => {
    const [schema, batch] = fixtureData("flight/v4.arrows");
    const decoder = new FlightDecoder();
    await decoder.take({ ...schema, appMetadata: metadata });
    expect(await decoder.take({ ...batch, appMetadata: metadata })).toMatchObject({ rows: 3, appMetadata: metadata });
  });
});

describe("what is no stream of Flight", () => {
  const [schema, batch] = fixtureData("flight/v4.arrows");
  const take = (...messages: FlightData[]) => decoded(messages);

  test.each<[string, FlightData[], string]>([
    ["nothing", [], "the stream has no schema"],
    ["a batch first", [batch], "a batch in front of the stream's schema"],
    ["two schemas", [schema, schema], "the stream has two schemas"],
    ["a body that is cut off", [schema, { ...batch, body: [batch.body[0].subarray(0, 8)] }], "it has 8"],
    ["no body", [schema, { ...batch, body: [] }], "it has 0"],
    ["a header that is none", [schema, { ...batch, header: Uint8Array.of(1, 2, 3) }], "metadata"],
    ["a dictionary of no column", [schema, fixtureData("flight/delta.arrows")[1]], "the number 0, which no column has"],
    ["a batch of another schema", [fixtureData("flight/delta.arrows")[0], batch], "a record batch has 2 columns"],
  ])("%s", async (_, messages, problem) => {
    await expect(take(...messages)).rejects.toThrow(problem);
  });

  test("a body in several pieces is one", async () => {
    const [body] = batch.body;
    const pieces = [body.subarray(0, 5), body.subarray(5, 70), body.subarray(70)];
    expect(valuesOf(await take(schema, { ...batch, body: pieces }))).toEqual(valuesOf(await take(schema, batch)));
  });

  test("a Buffer of Node, whose slices are views, is copied like other bytes", async () => {
    const buffers = [schema, batch].map(({ header, body, ...rest }) => ({
      ...rest,
      header: Buffer.from(header),
      body: body.map((one) => Buffer.concat([Buffer.alloc(3), one]).subarray(3)),
    }));
    expect(valuesOf(await take(...buffers))).toEqual(valuesOf(await take(schema, batch)));
  });

  test("a big-endian schema is known as one", () => {
    expect(decodeSchema(bigEndian()).bigEndian).toBe(true);
  });

  test("another schema than its table has", async () => {
    const other = decodeSchema(schemaBytes(fixtureData("flight/v5_union.arrows")[0]));
    await expect(decoded([schema, batch], { schema: other })).rejects.toThrow(
      /the columns \(i: Int64, s: Utf8\), its table \(u: /,
    );
  });

  test("bits that have changed are an error of this library, or other values", async () => {
    const whole = [
      "flight/nested.arrows",
      "flight/delta_zstd.arrows",
      "tables/pyarrow_lz4.arrow",
      "tables/views.arrow",
    ];
    const streams = whole.map(fixtureData);
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(), fc.nat(), fc.nat(), async (stream, message, at, bit) => {
        const messages = streams[stream % streams.length].map((one) => ({ ...one }));
        const changed = messages[message % messages.length];
        const inHeader = bit % 16 < 8 || changed.body[0].length === 0;
        const bytes = (inHeader ? changed.header : changed.body[0]).slice();
        bytes[at % bytes.length] ^= 1 << (bit % 8);
        const broken = inHeader ? { header: bytes } : { body: [bytes] };
        messages[message % messages.length] = { ...changed, ...broken };
        try {
          for (const batch of await decoded(messages)) plainValues(new Table([batch]));
        } catch (error) {
          expect(error).toMatchObject({ tag: expect.stringMatching(/InvalidDataError|UnsupportedError/) });
        }
      }),
      { numRuns: 400 },
    );
  });
});

/** The message with another version: the first field of its table. */
function withVersion(message: FlightData, version: number): FlightData {
  const header = message.header.slice();
  const view = new DataView(header.buffer);
  const root = view.getInt32(0, true);
  const vtable = root - view.getInt32(root, true);
  view.setInt16(root + view.getUint16(vtable + 4, true), version, true);
  return { ...message, header };
}

function bigEndian(): Uint8Array {
  const out = new Builder(64);
  out.startObject(4);
  out.addFieldInt16(0, 1, 0);
  const schema = out.endObject();
  out.startObject(5);
  out.addFieldInt16(0, 4, 0);
  out.addFieldInt8(1, 1, 0);
  out.addFieldOffset(2, schema, 0);
  out.finish(out.endObject());
  return encapsulated(out.asUint8Array());
}

function schemaBytes({ header }: FlightData): Uint8Array {
  return encapsulated(header);
}

function encapsulated(header: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(8 + header.length);
  new DataView(bytes.buffer).setUint32(0, 0xffffffff, true);
  new DataView(bytes.buffer).setInt32(4, header.length, true);
  bytes.set(header, 8);
  return bytes;
}
