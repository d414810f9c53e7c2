import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toRecordBatch, toSchema } from "../../src/arrow/apache/apache.js";
import { readRaggedColumn } from "../../src/arrow/ragged/column.js";
import { countContentRows } from "../../src/arrow/ragged/content-length.js";
import { getRaggedArrowType, parseForm } from "../../src/arrow/ragged/form.js";
import { createField, describeArrowType } from "../../src/arrow/type.js";
import { InvalidDataError, UnsupportedError } from "../../src/model/errors.js";
import type { NumberArray } from "../../src/model/stored.js";
import { plainColumn, roundTrip, throughIpc } from "./plain.js";
import { CLASSES, randomAwkward, slowRow } from "./ragged-twin.js";

function buffersOf(buffers: ReadonlyMap<string, NumberArray>) {
  const one = (name: string) => buffers.get(name) ?? new Uint8Array(0);
  return {
    length: (name: string) => one(name).length,
    read: async (name: string, start: number, end: number) => one(name).slice(start, end),
    dictionaries: new Map(),
    text: "error",
  } as const;
}

describe("awkward arrays", () => {
  test.each(CLASSES)("%s at the root, random nodes below, any range of rows", async (root) => {
    const cases = fc.tuple(fc.integer(), fc.nat(root === "EmptyArray" ? 0 : 12), fc.nat(12), fc.nat(12));
    await fc.assert(
      fc.asyncProperty(cases, async ([seed, length, a, b]) => {
        const made = randomAwkward(seed, root, length);
        const [start, end] = [Math.min(a, b, length), Math.min(Math.max(a, b), length)];
        const form = parseForm(JSON.stringify(made.form));
        expect(countContentRows(form, buffersOf(made.buffers))).toBeGreaterThanOrEqual(length);
        const column = await readRaggedColumn(form, buffersOf(made.buffers), start, end);
        const expected = Array.from({ length: end - start }, (_, i) => slowRow(made.form, made, start + i));
        expect(describeArrowType(column.type)).toBe(describeArrowType(getRaggedArrowType(form)));
        expect(roundTrip(column)).toEqual(expected);
      }),
      { numRuns: 150 },
    );
  });

  test("batches share the dictionaries of categorical nodes", async () => {
    const form = parseForm(
      JSON.stringify({
        class: "IndexedOptionArray",
        parameters: { __array__: "categorical" },
        content: { class: "NumpyArray", primitive: "int64", inner_shape: [] },
      }),
    );
    const buffers = buffersOf(
      new Map<string, NumberArray>([
        ["node0-index", Int32Array.of(1, -1, 0)],
        ["node1-data", BigInt64Array.of(7n, 8n)],
      ]),
    );
    const schema = toSchema([createField("value", getRaggedArrowType(form))], new Map());
    const batches = [];
    for (const i of [0, 1, 2])
      batches.push(toRecordBatch(schema, [await readRaggedColumn(form, buffers, i, i + 1)], 1));
    expect(new Set(batches.map(({ data }) => data.children[0].dictionary)).size).toBe(1);
    expect(plainColumn(throughIpc(batches), 0)).toEqual([8n, null, 7n]);
  });
});

const numpy = (primitive: string, parameters = {}, inner_shape: number[] = []) => ({
  class: "NumpyArray",
  primitive,
  inner_shape,
  parameters,
});
const typeOf = (form: object) => describeArrowType(getRaggedArrowType(parseForm(JSON.stringify(form))));

describe("forms", () => {
  const bytes = numpy("uint8");
  test.each<[object, string]>([
    [numpy("datetime64[15us]"), "Timestamp<us>"],
    [numpy("timedelta64[ns]"), "Duration<ns>"],
    [numpy("complex128"), "Struct<real: Float64, imag: Float64>"],
    [numpy("float16", {}, [2, 3]), "FixedSizeList<FixedSizeList<Float16>[3]>[2]"],
    [{ class: "EmptyArray" }, "Null"],
    [{ class: "ListOffsetArray64", content: "int64" }, "List<Int64>"],
    [{ class: "ListOffsetArray", content: bytes, parameters: { __array__: "string" } }, "Utf8"],
    [{ class: "ListArray", content: bytes, parameters: { __array__: "bytestring" } }, "Binary"],
    [{ class: "RegularArray", size: 4, content: bytes, parameters: { __array__: "bytestring" } }, "FixedSizeBinary[4]"],
    [{ class: "RegularArray", size: 4, content: bytes, parameters: { __array__: "string" } }, "Utf8"],
    [{ class: "RegularArray", size: 4, content: bytes }, "FixedSizeList<Uint8>[4]"],
    [{ class: "RecordArray", contents: { a: "bool", b: "int8" } }, "Struct<a: Bool, b: Int8>"],
    [{ class: "RecordArray", fields: null, contents: ["bool", "int8"] }, "Struct<0: Bool, 1: Int8>"],
    [{ class: "IndexedArray64", content: "int8", parameters: { __array__: "categorical" } }, "Dictionary<Int32, Int8>"],
    [{ class: "IndexedOptionArray", content: "int8" }, "Int8"],
    [{ class: "UnionArray8_64", contents: ["int8", "bool"] }, "DenseUnion<0: Int8, 1: Bool>"],
    // Views written by anndata leave these two behind.
    [numpy("int8", { __list__: null, _view_args: null }), "Int8"],
  ])("%j is %s", (form, expected) => {
    expect(typeOf(form)).toBe(expected);
  });

  test("nodes count in pre-order, buffers or not", () => {
    const form = parseForm(
      JSON.stringify({
        class: "RecordArray",
        fields: ["a", "b"],
        contents: [{ class: "RegularArray", size: 1, content: "int8" }, "bool"],
      }),
    );
    expect(form.class === "RecordArray" && form.contents.map(({ key }) => key)).toEqual(["node1", "node3"]);
  });

  test.each<[string, typeof InvalidDataError | typeof UnsupportedError, RegExp]>([
    ["{", InvalidDataError, /not JSON/],
    ["[]", InvalidDataError, /no object/],
    ['{"class":"RecordArray"}', InvalidDataError, /no contents/],
    ['{"class":"RecordArray","fields":["a"],"contents":["int8","int8"]}', InvalidDataError, /1 fields, 2 contents/],
    ['{"class":"UnionArray","contents":{}}', InvalidDataError, /no contents/],
    ['{"class":"RegularArray","size":-1,"content":"int8"}', InvalidDataError, /-1/],
    ['{"class":"ByteMaskedArray","content":"int8"}', InvalidDataError, /no valid_when/],
    ['{"class":"NumpyArray","primitive":"float128"}', UnsupportedError, /float128/],
    ['{"class":"VirtualArray"}', UnsupportedError, /VirtualArray/],
    [`${'{"class":"UnmaskedArray","content":'.repeat(70)}"int8"${"}".repeat(70)}`, UnsupportedError, /64/],
  ])("%.80s is an error", (json, kind, message) => {
    expect(() => parseForm(json)).toThrow(kind);
    expect(() => parseForm(json)).toThrow(message);
  });
});

describe("buffers that contradict the form", () => {
  const list = { class: "ListOffsetArray", content: "int8" };
  const union = { class: "UnionArray", contents: ["int8", "int8"] };
  test.each<[string, object, Record<string, NumberArray>, RegExp]>([
    [
      "offsets beyond the content",
      list,
      { "node0-offsets": Int32Array.of(0, 5), "node1-data": Int8Array.of(1) },
      /0 to 5 .* 1/,
    ],
    ["decreasing offsets", list, { "node0-offsets": Int32Array.of(1, 0), "node1-data": Int8Array.of(1) }, /1 to 0/],
    ["negative offsets", list, { "node0-offsets": Int32Array.of(-1, 0), "node1-data": Int8Array.of(1) }, /-1 to 0/],
    ["too few offsets", list, { "node0-offsets": Int32Array.of(0), "node1-data": Int8Array.of(1) }, /1 values, 2/],
    ["floats as offsets", list, { "node0-offsets": Float32Array.of(0, 1), "node1-data": Int8Array.of(1) }, /floats/],
    [
      "starts behind stops",
      { class: "ListArray", content: "int8" },
      { "node0-starts": Int32Array.of(1), "node0-stops": Int32Array.of(0), "node1-data": Int8Array.of(1) },
      /1 to 0/,
    ],
    [
      "too few stops",
      { class: "ListArray", content: "int8" },
      { "node0-starts": Int32Array.of(0), "node0-stops": new Int32Array(0), "node1-data": Int8Array.of(1) },
      /0 values, 1/,
    ],
    [
      "an index beyond the content",
      { class: "IndexedArray", content: "int8" },
      { "node0-index": Int32Array.of(3), "node1-data": Int8Array.of(1) },
      /index\[0\] is 3, .* 1/,
    ],
    [
      "a negative index without option",
      { class: "IndexedArray", content: "int8" },
      { "node0-index": Int32Array.of(-1), "node1-data": Int8Array.of(1) },
      /index\[0\] is -1, .* 1/,
    ],
    [
      "an unknown tag",
      union,
      { "node0-tags": Int8Array.of(2), "node0-index": Int32Array.of(0), "node1-data": Int8Array.of(1) },
      /tags\[0\] is 2, .* 2 contents/,
    ],
    [
      "an index beyond the tag's content",
      union,
      { "node0-tags": Int8Array.of(1), "node0-index": Int32Array.of(4), "node2-data": Int8Array.of(1) },
      /index\[0\] is 4, content 1 has 1/,
    ],
    ["fewer values than rows", numpy("int8"), { "node0-data": new Int8Array(0) }, /0 values, row 0/],
    ["another width than the form's", numpy("int64"), { "node0-data": Int8Array.of(1) }, /Int8Array, .* int/],
    [
      "text that is no bytes",
      { class: "ListOffsetArray", content: numpy("int16"), parameters: { __array__: "string" } },
      { "node0-offsets": Int32Array.of(0, 1), "node1-data": Int16Array.of(1) },
      /bytes/,
    ],
    [
      "text of lists",
      { class: "ListOffsetArray", content: list, parameters: { __array__: "string" } },
      { "node0-offsets": Int32Array.of(0, 0), "node1-offsets": Int32Array.of(0) },
      /text without bytes/,
    ],
  ])("%s", async (_, form, buffers, message) => {
    const read = readRaggedColumn(parseForm(JSON.stringify(form)), buffersOf(new Map(Object.entries(buffers))), 0, 1);
    await expect(read).rejects.toThrow(message);
    await expect(read).rejects.toThrow(InvalidDataError);
  });

  test.each<[string, object, Record<string, NumberArray>]>([
    [
      "lists of nothing",
      { class: "ListOffsetArray", content: { class: "RegularArray", size: 0, content: "int8" } },
      { "node0-offsets": BigInt64Array.of(0n, 2n ** 40n) },
    ],
    [
      "nulls in place of long lists",
      { class: "IndexedOptionArray", content: { class: "RegularArray", size: 2 ** 40, content: "int8" } },
      { "node0-index": Int8Array.of(-1) },
    ],
  ])("%s do not make a small file a large batch", async (_, form, buffers) => {
    const read = readRaggedColumn(parseForm(JSON.stringify(form)), buffersOf(new Map(Object.entries(buffers))), 0, 1);
    await expect(read).rejects.toThrow(/1099511627776 values in one batch, at most 134217728/);
    await expect(read).rejects.toThrow(UnsupportedError);
  });
});
