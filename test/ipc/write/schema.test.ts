import { type Field, type Schema, tableFromIPC } from "apache-arrow";
import { describe, expect, test } from "vitest";
import { toSchema } from "../../../src/arrow/apache/apache.js";
import {
  type ArrowField,
  type ArrowType,
  BINARY,
  BOOL,
  createField,
  INT32,
  INT64,
  NULL,
  UTF8,
} from "../../../src/arrow/type.js";
import { streamBytes } from "../../../src/ipc/write/apache-writer.js";
import { encodeEmbeddedSchema } from "../../../src/ipc/write/schema.js";

const float = (bits: 16 | 32 | 64): ArrowType => ({ id: "Float", bits });
const coded = (value: ArrowType, ordered = false): ArrowType => ({ id: "Dictionary", index: INT32, value, ordered });

const TYPES: readonly ArrowType[] = [
  ...[NULL, BOOL, UTF8, BINARY, INT64, float(16), float(32), float(64)],
  ...([8, 16, 32, 64] as const).flatMap((bits) =>
    [true, false].map((signed) => ({ id: "Int" as const, bits, signed })),
  ),
  ...(["s", "ms", "us", "ns"] as const).flatMap((unit) => [
    { id: "Timestamp" as const, unit },
    { id: "Duration" as const, unit },
  ]),
  { id: "FixedSizeBinary", width: 7 },
  { id: "List", item: createField("item", { id: "List", item: createField("inner", UTF8, false) }) },
  { id: "FixedSizeList", size: 3, item: createField("item", float(32), false) },
  { id: "Struct", fields: [createField("real", float(32), false), createField("imag", coded(UTF8))] },
  { id: "DenseUnion", fields: [createField("text", UTF8), createField("number", INT64), createField("flag", BOOL)] },
  ...[coded(UTF8), coded(INT64, true), coded(float(64))],
  { id: "Dictionary", index: { id: "Int", bits: 8, signed: false }, value: UTF8, ordered: false },
];

const END = Uint8Array.of(255, 255, 255, 255, 0, 0, 0, 0);

/** The schema as apache-arrow reads it. */
function read(message: Uint8Array): Schema {
  return tableFromIPC(new Uint8Array([...message, ...END])).schema;
}

/** All that a schema says, the numbers of its dictionaries aside, which apache-arrow counts across all schemas. */
const said = (one: Field): unknown => ({
  name: one.name,
  type: String(one.type),
  nullable: one.nullable,
  metadata: [...one.metadata],
  ordered: "isOrdered" in one.type ? one.type.isOrdered : null,
  children: (one.type.children ?? []).map(said),
});

const METADATA = new Map([
  ["annarrow", '{"kind":"dataframe"}'],
  ["", "é"],
]);

describe("the message says what apache-arrow's says", () => {
  const fields: readonly ArrowField[] = TYPES.flatMap((type, i) => [
    createField(`nullable ${i} ü`, type),
    { ...createField(`required ${i}`, type, false), metadata: { at: i, text: "ü\n" } },
  ]);

  test("with a field of every type", () => {
    const own = read(encodeEmbeddedSchema(fields, METADATA));
    const right = read(streamBytes(toSchema(fields, METADATA), []));
    expect(own.fields.map(said)).toEqual(right.fields.map(said));
    expect([...own.metadata]).toEqual([...right.metadata]);
  });

  test.each(TYPES.map((type) => [type.id, type] as const))("%s alone, in whole words of 8 bytes", (_, type) => {
    const message = encodeEmbeddedSchema([createField("value", type)], new Map());
    expect(message.length % 8).toBe(0);
    expect(new DataView(message.buffer).getInt32(4, true)).toBe(message.length - 8);
    const right = read(streamBytes(toSchema([createField("value", type)], new Map()), []));
    expect(read(message).fields.map(said)).toEqual(right.fields.map(said));
  });
});

test("dictionaries are numbered in their order", () => {
  const own = read(
    encodeEmbeddedSchema(
      [createField("a", coded(UTF8)), createField("b", UTF8), createField("c", coded(INT64))],
      new Map(),
    ),
  );
  expect(own.fields.map(({ type }) => ("id" in type ? Number(type.id) : null))).toEqual([0, null, 1]);
});

test("metadata as it stands takes the place of the plain one", () => {
  const stored = new Map([
    ["annarrow", "no JSON"],
    ["of", "b"],
  ]);
  const own = read(encodeEmbeddedSchema([{ ...createField("a", UTF8), metadata: { a: 1 }, stored }], new Map()));
  expect([...own.fields[0].metadata]).toEqual([...stored]);
});

test("a table without columns", () => {
  expect(read(encodeEmbeddedSchema([], new Map())).fields).toEqual([]);
});
