import { Message, MessageReader, type Table, tableFromIPC } from "apache-arrow";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toRecordBatch, toSchema } from "../../../src/arrow/apache/apache.js";
import type { Column } from "../../../src/arrow/column.js";
import { createTextColumn } from "../../../src/arrow/text.js";
import { type ArrowField, type ArrowType, createField, INT32, UTF8 } from "../../../src/arrow/type.js";
import { listDictionaries } from "../../../src/ipc/write/dictionaries.js";
import { IpcFile, type IpcFraming, type IpcSchema, IpcStream } from "../../../src/ipc/write/framing.js";
import { encodeBatchMessage, encodeDictionaryMessage } from "../../../src/ipc/write/message.js";
import { arbitraryType, columnsOf, fieldsOf } from "../../arrow/arbitrary-column.js";
import { plainRows, throughIpc } from "../../arrow/plain.js";

const METADATA = new Map([["annarrow", '{"kind":"dataframe"}']]);

interface Batch {
  readonly columns: readonly Column[];
  readonly length: number;
}

const FORMS = [
  ["file", (schema: IpcSchema): IpcFraming => new IpcFile(schema)],
  ["stream", (schema: IpcSchema): IpcFraming => new IpcStream(schema)],
] as const;

/** The bytes of batches that share their dictionaries. */
function write(form: IpcFraming, batches: readonly Batch[]): Uint8Array {
  const parts = form.start();
  for (const [id, values] of listDictionaries(batches[0]?.columns ?? []).entries()) {
    parts.push(form.dictionary(encodeDictionaryMessage(id, values)));
  }
  for (const { columns, length } of batches) parts.push(form.batch(encodeBatchMessage(columns, length)));
  return new Uint8Array(Buffer.concat([...parts, ...form.end()]));
}

function expectSame(found: Table, right: Table): void {
  expect(found.schema.fields.map((one) => [String(one), one.nullable])).toEqual(
    right.schema.fields.map((one) => [String(one), one.nullable]),
  );
  expect([...found.schema.metadata]).toEqual([...right.schema.metadata]);
  expect(plainRows(found)).toEqual(plainRows(right));
}

function viaArrow(fields: readonly ArrowField[], batches: readonly Batch[]): Table {
  const schema = toSchema(fields, METADATA);
  return throughIpc(batches.map(({ columns, length }) => toRecordBatch(schema, columns, length)));
}

describe.each(FORMS)("IPC %s", (_, form) => {
  test("random columns of every layout come back as from apache-arrow's writer", () => {
    const tables = fc
      .tuple(fc.array(arbitraryType(), { minLength: 1, maxLength: 4 }), fc.nat(20))
      .chain(([types, length]) => columnsOf(fieldsOf(types), length).map((columns) => ({ types, columns, length })));
    fc.assert(
      fc.property(tables, ({ types, columns, length }) => {
        const fields = fieldsOf(types);
        const batches = [{ columns, length }];
        expectSame(tableFromIPC(write(form({ fields, metadata: METADATA }), batches)), viaArrow(fields, batches));
      }),
      { numRuns: 100 },
    );
  });

  test("several batches share dictionaries, also those within lists, structs and other dictionaries", () => {
    const [one, other, within] = [["a", "b"], ["z"], ["x", "y", "w"]].map(createTextColumn);
    const coded = (dictionary: Column, places: readonly number[]): Column => ({
      layout: "dictionary",
      type: { id: "Dictionary", index: INT32, value: dictionary.type, ordered: false },
      length: places.length,
      validity: null,
      indices: Int32Array.from(places),
      dictionary,
    });
    const listType: ArrowType = { id: "List", item: createField("item", coded(within, []).type) };
    const lists = (places: readonly number[]): Column => ({
      layout: "list",
      type: listType,
      length: 2,
      validity: null,
      offsets: Int32Array.of(0, 1, places.length),
      child: coded(within, places),
    });
    const values = lists([2, 0, 1]);
    const structType: ArrowType = {
      id: "Struct",
      fields: [createField("in", coded(one, []).type), createField("text", UTF8)],
    };
    const struct = (places: readonly number[]): Column => ({
      layout: "struct",
      type: structType,
      length: 2,
      validity: null,
      children: [coded(one, places), createTextColumn(["ü", null])],
    });
    const batch = (places: readonly number[]): Batch => ({
      columns: [struct(places), coded(values, places), coded(other, [0, 0])],
      length: 2,
    });
    const batches = [batch([0, 1]), batch([1, 1])];
    const fields = batches[0].columns.map((column, i) => createField(String(i), column.type));
    expect(listDictionaries(batches[0].columns)).toEqual([one, within, values, other]);
    const found = tableFromIPC(write(form({ fields, metadata: METADATA }), batches));
    expect(plainRows(found)).toEqual([
      [{ in: "a", text: "ü" }, ["w"], "z"],
      [{ in: "b", text: null }, ["x", "y"], "z"],
      [{ in: "b", text: "ü" }, ["x", "y"], "z"],
      [{ in: "b", text: null }, ["x", "y"], "z"],
    ]);
  });

  test("a table without batches", () => {
    const found = tableFromIPC(write(form({ fields: [createField("a", UTF8)], metadata: METADATA }), []));
    expect([found.numRows, found.schema.fields.map(String)]).toEqual([0, ["a: Utf8"]]);
  });

  test("rows without columns", () => {
    const found = tableFromIPC(write(form({ fields: [], metadata: METADATA }), [{ columns: [], length: 3 }]));
    expect(found.batches.map(({ numRows }) => numRows)).toEqual([3]);
  });

  test("every buffer and message begins at a multiple of 64 bytes", () => {
    const columns = [createTextColumn(["a", null, "long".repeat(50)]), createTextColumn(["", "", "ü"])];
    const fields = columns.map((column, i) => createField(String(i), column.type));
    const bytes = write(
      form({ fields, metadata: METADATA }),
      [0, 1, 2].map(() => ({ columns, length: 3 })),
    );
    const start = bytes[0] === 0xff ? 0 : 8;
    let at = start;
    const reader = new MessageReader(bytes.subarray(start));
    for (const message of reader) {
      const header = message.header();
      at += 8 + new DataView(bytes.buffer).getInt32(at + 4, true);
      expect(at % 64).toBe(0);
      if (message.isRecordBatch() && "buffers" in header) {
        for (const { offset } of header.buffers) expect(Number(offset) % 64).toBe(0);
        // What the columns hold, no padding, and no validity where nothing is missing.
        expect(header.buffers.map(({ length }) => Number(length))).toEqual([1, 16, 201, 0, 16, 2]);
        expect(header.nodes.map(({ length, nullCount }) => [Number(length), Number(nullCount)])).toEqual([
          [3, 1],
          [3, 0],
        ]);
      }
      reader.readMessageBody(message.bodyLength);
      at += message.bodyLength;
    }
    expect(at - start).toBeGreaterThan(1000);
  });
});

test("a message is the only one in its memory, so that it can move to another thread", () => {
  const columns = [createTextColumn(["a", "b"])];
  const { bytes, metadataLength, bodyLength, rows } = encodeBatchMessage(columns, 2);
  expect([bytes.byteOffset, bytes.length, bytes.length % 64, rows]).toEqual([0, bytes.buffer.byteLength, 0, 2]);
  expect(metadataLength + bodyLength).toBe(bytes.length);
});

test("lengths beyond 2^31 stand in the metadata", () => {
  const length = 2 ** 33;
  const { bytes } = encodeBatchMessage([{ layout: "null", type: { id: "Null" }, length, validity: null }], length);
  const header = Message.decode(bytes.subarray(8)).header();
  expect("nodes" in header ? header.nodes.map((node) => Number(node.nullCount)) : null).toEqual([length]);
  expect("length" in header ? Number(header.length) : null).toBe(length);
});

test("a column whose buffer is too short is no message", () => {
  const column: Column = { layout: "primitive", type: INT32, length: 3, validity: null, values: new Int32Array(2) };
  expect(() => encodeBatchMessage([column], 3)).toThrow("a buffer has 8 bytes, its column needs 12");
});

test("a message in memory that was used is the same, whatever it held", () => {
  const tables = fc
    .tuple(fc.array(arbitraryType(), { minLength: 1, maxLength: 4 }), fc.nat(50))
    .chain(([types, length]) => columnsOf(fieldsOf(types), length).map((columns) => ({ columns, length })));
  fc.assert(
    fc.property(tables, fc.nat(100), ({ columns, length }, more) => {
      const used = (bytes: number) => new Uint8Array(bytes + 8 + more).fill(0xee).subarray(8, 8 + bytes);
      expect(encodeBatchMessage(columns, length, used)).toEqual(encodeBatchMessage(columns, length));
    }),
  );
});
