/** Forms of Arrow that this library does not write: pyarrow's files, and bytes changed as the format says. */

import { readFileSync } from "node:fs";
import { DataType, type Field, tableFromIPC } from "apache-arrow";
import { expect, test } from "vitest";
import { open } from "../../../packages/published/src/node.js";
import { FlatBuffer } from "../../../src/ipc/flatbuffers/reader.js";
import { InvalidDataError } from "../../../src/model/errors.js";
import type { ColumnTable } from "../../../src/tables/column-table.js";
import { convertInputToColumns } from "../../../src/tables/given/arrow-column-table.js";
import { DATA, expected, tableOf } from "../../readers/tables/foreign-tables.js";
import { placedValues, plainValues } from "../../readers/tables/plain-values.js";

test.each([
  "decimals.arrow",
  "decimals.arrows",
  "list_views.arrow",
  "list_views.arrows",
  "run_ends.arrow",
  "run_ends.arrows",
  "deltas.arrow",
  "deltas.arrows",
  "legacy.arrow",
  "legacy.arrows",
  "early_lz4.feather",
  "early_zstd.feather",
])("%s has the values that pyarrow reads", async (file) => {
  const table = await tableOf(`${DATA}/${file}`);
  const right: { name: string; values: unknown[] }[] = expected(file.split(/_lz4|_zstd|\./)[0]);
  const whole = await table.read();
  expect(placedValues(whole)).toEqual(right);
  for (const batch of whole.batches) {
    expect(batch.data.children.map(({ type }) => String(type))).toEqual(
      table.schema.fields.map(({ type }) => String(type)),
    );
  }
  const part = await table.read({ rows: [1, 3], batchBytes: 1 });
  expect(placedValues(part)).toEqual(right.map(({ name, values }) => ({ name, values: values.slice(1, 3) })));
});

test("types are the plain equivalents", async () => {
  const types = async (file: string) => (await tableOf(`${DATA}/${file}`)).schema.fields.map(String);
  expect(await types("decimals.arrow")).toEqual([
    "small: Decimal[7e+2]",
    "middle: Decimal[18e+3]",
    "listed: List<Decimal[4e+1]>",
    "coded: Dictionary<Int8, Decimal[12e+1]>",
  ]);
  expect((await types("list_views.arrow")).slice(0, 4)).toEqual([
    "list: List<Int32>",
    "large: LargeList<Utf8>",
    "ordered: List<Int64>",
    "nested: List<List<Utf8>>",
  ]);
  expect((await types("run_ends.arrow")).slice(0, 5)).toEqual([
    "small: Int32",
    "text: Utf8",
    "wide: Float64",
    "bool: Bool",
    "coded: Dictionary<Int32, Utf8>",
  ]);
});

interface Place {
  readonly start: number;
  readonly metadata: Uint8Array;
  readonly body: Uint8Array;
}

/** The messages of a stream, each with a marker, a length, metadata and body. */
function messages(stream: Uint8Array): Place[] {
  const view = new DataView(stream.buffer, stream.byteOffset, stream.byteLength);
  const found: Place[] = [];
  for (let at = 0; at < stream.length; ) {
    const length = view.getInt32(at + 4, true);
    if (length === 0) break;
    const metadata = stream.subarray(at + 8, at + 8 + length);
    const bodyLength = Number(new FlatBuffer(metadata).root().int64(3));
    const start = at + 8 + length;
    found.push({ start: at, metadata, body: stream.subarray(start, start + bodyLength) });
    at = start + bodyLength;
  }
  return found;
}

/** The widths in which the buffers of a column are swapped, in their order; 0 for bytes and bits. */
function widths(type: DataType): number[] {
  if (DataType.isNull(type)) return [];
  if (DataType.isDictionary(type)) return [0, type.indices.bitWidth / 8];
  if (DataType.isBool(type)) return [0, 0];
  if (DataType.isUtf8(type) || DataType.isBinary(type)) return [0, 4, 0];
  if (DataType.isLargeUtf8(type) || DataType.isLargeBinary(type)) return [0, 8, 0];
  const children = (type.children ?? []).flatMap((child: Field) => widths(child.type));
  if (DataType.isList(type) || DataType.isMap(type)) return [0, 4, ...children];
  if (DataType.isLargeList(type)) return [0, 8, ...children];
  if (DataType.isStruct(type) || DataType.isFixedSizeList(type)) return [0, ...children];
  if (DataType.isFixedSizeBinary(type)) return [0, 0];
  return [0, DataType.isDecimal(type) ? 16 : type.ArrayType.BYTES_PER_ELEMENT];
}

/** A stream whose buffers are big-endian, as a machine of that order writes it; the metadata are little-endian always. */
function bigEndian(stream: Uint8Array): Uint8Array {
  const out = Uint8Array.from(stream);
  const { schema, batches } = tableFromIPC(out.slice());
  const dictionaries = new Map([...batches[0].dictionaries].map(([id, { type }]) => [BigInt(id), type]));
  for (const { metadata, body } of messages(out)) {
    const message = new FlatBuffer(metadata).root();
    const kind = message.uint8(1);
    const header = message.table(2);
    if (header === null) throw new Error("no header");
    if (kind === 1) {
      // The field is absent where it is little-endian: its entry leads to a 1 that stands somewhere behind the table.
      let at = header.at + 4;
      while (!(metadata[at] === 1 && metadata[at + 1] === 0)) at += 2;
      metadata[header.vtable + 4] = (at - header.at) & 255;
      metadata[header.vtable + 5] = (at - header.at) >> 8;
      continue;
    }
    const batch = kind === 2 ? header.table(1) : header;
    const value = dictionaries.get(header.int64(0));
    const sizes =
      kind === 2 ? (value === undefined ? [] : widths(value)) : schema.fields.flatMap(({ type }) => widths(type));
    for (const [i, place] of (batch?.list(2, 16) ?? []).entries()) {
      const [start, length] = [batch?.buffer.size(place) ?? 0, batch?.buffer.size(place + 8) ?? 0];
      const width = sizes[i];
      for (let from = start; width > 0 && from + width <= start + length; from += width) {
        body.subarray(from, from + width).reverse();
      }
    }
  }
  return out;
}

test("a big-endian stream has the values of its little-endian twin", async () => {
  const stream = readFileSync("test/fixtures/data/tables/pyarrow.arrows");
  const right = JSON.parse(readFileSync("test/fixtures/data/tables/pyarrow.json", "utf8"));
  const swapped = bigEndian(stream);
  expect(Buffer.compare(swapped, stream)).not.toBe(0);
  expect(plainValues(await (await tableOf(swapped)).read())).toEqual(right);
});

/** The fixture with bytes changed at a place in the body of its first batch. */
function changed(file: string, change: (body: DataView) => void): Uint8Array {
  const out = Uint8Array.from(readFileSync(`${DATA}/${file}`));
  const batch = messages(out).find(({ metadata }) => new FlatBuffer(metadata).root().uint8(1) === 3);
  if (batch === undefined) throw new Error("no batch");
  change(new DataView(batch.body.buffer, batch.body.byteOffset, batch.body.length));
  return out;
}

test("run ends that do not rise, and too few rows", async () => {
  // The first buffer are the ends 2, 3, 7 of 16 bits.
  const falling = await tableOf(changed("run_ends.arrows", (body) => body.setInt16(2, 2, true)));
  await expect(falling.read()).rejects.toThrow("small has the run end 2 behind 2");
  const short = await tableOf(changed("run_ends.arrows", (body) => body.setInt16(4, 6, true)));
  await expect(short.read()).rejects.toThrow("small has runs of 6 rows, expected 7");
});

test("list views outside of their values", async () => {
  // A bitmap, padded to 8 bytes, then the starts 4, 0, 0, 2, 6.
  const outside = await tableOf(changed("list_views.arrows", (body) => body.setInt32(8, 5, true)));
  await expect(outside.read()).rejects.toThrow("list has the values 5 to 7 in row 0, there are 6");
  await expect(outside.read()).rejects.toBeInstanceOf(InvalidDataError);
});

test("bytes that begin like a length are no stream without a schema", async () => {
  const bytes = new Uint8Array(4096).fill(7);
  new DataView(bytes.buffer).setInt32(0, 1024, true);
  await expect(open(bytes)).rejects.toMatchObject({ tag: "UnsupportedError" });
});

async function columnsOf(table: ColumnTable): Promise<unknown[]> {
  const found = [];
  for await (const { columns } of table.batches()) found.push(columns);
  return found;
}

test.each(["list_views.arrow", "list_views.arrows", "legacy.arrows", "repeated.arrow"])(
  "bytes of %s are given to writers as files are read",
  async (file) => {
    const bytes = readFileSync(`${DATA}/${file}`);
    const given = await convertInputToColumns(bytes);
    const opened = await convertInputToColumns(await tableOf(`${DATA}/${file}`));
    expect(given.rows).toBe(opened.rows);
    expect(given.fields).toEqual(opened.fields);
    // As often as they are asked for.
    for (let i = 0; i < 2; i++) {
      expect(await columnsOf(given)).toEqual(await columnsOf(opened));
    }
  },
);

test("bytes of a big-endian stream are not taken for another order", async () => {
  const table = await convertInputToColumns(bigEndian(readFileSync(`${DATA}/deltas.arrows`)));
  const twin = await convertInputToColumns(readFileSync(`${DATA}/deltas.arrows`));
  expect(await columnsOf(table)).toEqual(await columnsOf(twin));
});

test("bytes of a stream whose dictionaries are replaced have those of each batch", async () => {
  const table = await convertInputToColumns(readFileSync("test/fixtures/data/tables/replaced.arrows"));
  const texts: unknown[] = [];
  for await (const { columns } of table.batches()) {
    const [column] = columns;
    if (column.layout !== "dictionary" || column.dictionary.layout !== "variable") throw new Error("no categories");
    const { offsets, bytes } = column.dictionary;
    for (const code of column.indices) {
      texts.push(Buffer.from(bytes.subarray(offsets[Number(code)], offsets[Number(code) + 1])).toString());
    }
  }
  expect(texts).toEqual(["b", "a", "c", "a"]);
});
