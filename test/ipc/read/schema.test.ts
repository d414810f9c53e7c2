import { Builder } from "flatbuffers";
import { expect, test } from "vitest";
import { FlatBuffer } from "../../../src/ipc/flatbuffers/reader.js";
import { readSchema } from "../../../src/ipc/read/schema.js";

const INT = 2;
const STRUCT = 13;

/** A schema of one column: structs of two, `levels` within each other, where both are the very same table. */
function nestedSchema(levels: number): Uint8Array {
  const builder = new Builder(1024);
  const field = (type: number, children: number) => {
    const name = builder.createString("x");
    builder.startObject(2);
    if (type === INT) builder.addFieldInt32(0, 32, 0);
    const details = builder.endObject();
    builder.startObject(7);
    builder.addFieldOffset(0, name, 0);
    builder.addFieldInt8(2, type, 0);
    builder.addFieldOffset(3, details, 0);
    if (children !== 0) builder.addFieldOffset(5, children, 0);
    return builder.endObject();
  };
  const list = (...tables: readonly number[]) => {
    builder.startVector(4, tables.length, 4);
    for (const table of tables) builder.addOffset(table);
    return builder.endVector();
  };
  let inner = field(INT, 0);
  for (let i = 0; i < levels; i++) inner = field(STRUCT, list(inner, inner));
  const fields = list(inner);
  builder.startObject(4);
  builder.addFieldOffset(1, fields, 0);
  builder.finish(builder.endObject());
  return builder.asUint8Array();
}

const read = (bytes: Uint8Array) => readSchema(new FlatBuffer(bytes).root());

test("types within types", () => {
  expect(String(read(nestedSchema(2)).schema.fields[0].type)).toBe(
    "Struct<{x:Struct<{x:Uint32, x:Uint32}>, x:Struct<{x:Uint32, x:Uint32}>}>",
  );
});

test("a small schema that means 2^40 columns is refused, at once", () => {
  expect(() => read(nestedSchema(40))).toThrow(/lists the same parts too often/);
});

test("a type that is too deep is refused", () => {
  expect(() => read(nestedSchema(70))).toThrow(/nested more than 64 levels deep|too often/);
});

test("lists that say more than there is are refused", () => {
  const bytes = nestedSchema(1);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + 4 <= bytes.length; at += 4) {
    const broken = bytes.slice();
    new DataView(broken.buffer).setUint32(at, 0x7fffffff, true);
    if (view.getUint32(at, true) > 64) continue;
    expect(() => {
      try {
        read(broken);
      } catch (error) {
        if (!(error instanceof Error && "tag" in error)) throw error;
      }
    }).not.toThrow();
  }
});
