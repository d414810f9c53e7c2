import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Column } from "../../src/arrow/column.js";
import { encodeJsonValue } from "../../src/arrow/json.js";
import { readRaggedColumn } from "../../src/arrow/ragged/column.js";
import { getRaggedArrowType, parseForm } from "../../src/arrow/ragged/form.js";
import { RaggedWriter } from "../../src/arrow/ragged/writer.js";
import { sliceColumn } from "../../src/arrow/take.js";
import { type ArrowField, createField, describeArrowType, INT32 } from "../../src/arrow/type.js";
import { computeValidity } from "../../src/kernels/values/bitmap.js";
import { joinValues } from "../../src/kernels/values/join-values.js";
import { InvalidInputError, UnsupportedError } from "../../src/model/errors.js";
import { type NumberArray, type StoredValues, viewAsBytes, viewLike } from "../../src/model/stored.js";
import { convertInputToColumns } from "../../src/tables/given/arrow-column-table.js";
import { arbitraryColumn, arbitraryType } from "./arbitrary-column.js";
import { roundTrip } from "./plain.js";
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

/** Form and buffers of batches that are written one after the other. */
function written(of: ArrowField, batches: readonly Column[]) {
  const writer = new RaggedWriter(of);
  const parts = new Map<string, StoredValues[]>();
  for (const piece of [...batches.flatMap((batch) => writer.append(batch)), ...writer.finish()]) {
    parts.set(piece.name, [...(parts.get(piece.name) ?? []), piece.values]);
  }
  const buffers = new Map<string, NumberArray>();
  for (const [name, values] of parts) {
    const joined = joinValues(values);
    if (joined.kind === "fixed") buffers.set(name, joined.values);
  }
  return { form: writer.form, length: writer.length, buffers };
}

const cutsOf = (length: number) =>
  fc.array(fc.nat(length), { maxLength: 3 }).map((cuts) => [0, ...cuts.sort((a, b) => a - b), length]);
const batchesOf = (column: Column, cuts: readonly number[]) =>
  cuts.slice(1).map((end, i) => sliceColumn(column, cuts[i], end));

describe("awkward arrays that were read", () => {
  test.each(CLASSES)("%s at the root are written back in their form, in any batches", async (root) => {
    const cases = fc.nat(root === "EmptyArray" ? 0 : 20).chain((length) => fc.tuple(fc.integer(), cutsOf(length)));
    await fc.assert(
      fc.asyncProperty(cases, async ([seed, cuts]) => {
        const length = cuts[cuts.length - 1];
        const made = randomAwkward(seed, root, length);
        const form = parseForm(JSON.stringify(made.form));
        const value = {
          ...createField("value", getRaggedArrowType(form)),
          metadata: { kind: "awkward-array", form: made.form },
        };
        const batches: Column[] = [];
        const source = buffersOf(made.buffers);
        for (const [i, end] of cuts.slice(1).entries())
          batches.push(await readRaggedColumn(form, source, cuts[i], end));
        const back = written(value, batches);
        expect(JSON.parse(back.form)).toEqual(made.form);
        expect(back.length).toBe(length);
        const rows = (of: ReadonlyMap<string, NumberArray>) =>
          Array.from({ length }, (_, i) => slowRow(made.form, { form: made.form, buffers: of }, i));
        expect(rows(back.buffers)).toEqual(rows(made.buffers));
      }),
      { numRuns: 150 },
    );
  });
});

describe("columns of any type", () => {
  test("come back from the form that follows from their type", async () => {
    // Awkward arrays have days as points in time alone.
    const types = arbitraryType(3).filter((type) => !JSON.stringify(type).includes("Date32"));
    const cases = types.chain((type) =>
      fc.nat(20).chain((length) => fc.tuple(arbitraryColumn(type, length), cutsOf(length))),
    );
    await fc.assert(
      fc.asyncProperty(cases, async ([column, cuts]) => {
        let back: ReturnType<typeof written>;
        try {
          back = written(createField("value", column.type), batchesOf(column, cuts));
        } catch (error) {
          // Unions of one kind, or of unions, and categories that are empty lists.
          expect(error).toBeInstanceOf(UnsupportedError);
          expect(describeArrowType(column.type)).toMatch(/DenseUnion|Dictionary<\w+, (FixedSizeList|Struct)<.*\[0\]/);
          return;
        }
        const read = await readRaggedColumn(parseForm(back.form), buffersOf(back.buffers), 0, back.length);
        expect(roundTrip(read)).toEqual(roundTrip(column));
      }),
      { numRuns: 500 },
    );
  });
});

interface Described {
  readonly name: string;
  /** As text, as awkward writes it. */
  readonly form: string;
  readonly length: number;
  readonly buffers: Readonly<Record<string, { dtype: string; shape: number[]; bytes: string }>>;
}

const awkward: { arrays: (Described & { values: unknown[] })[]; from_arrow: (Described & { stream: string })[] } =
  JSON.parse(readFileSync("test/fixtures/data/columns/awkward.json", "utf8"));

const LIKE: ReadonlyMap<string, NumberArray> = new Map<string, NumberArray>([
  ["bool", new Uint8Array()],
  ["int8", new Int8Array()],
  ["uint8", new Uint8Array()],
  ["int16", new Int16Array()],
  ["int32", new Int32Array()],
  ["uint32", new Uint32Array()],
  ["int64", new BigInt64Array()],
  ["float16", new Uint16Array()],
  ["float64", new Float64Array()],
  ["complex128", new Float64Array()],
  ["datetime64[us]", new BigInt64Array()],
  ["timedelta64[15us]", new BigInt64Array()],
]);

function buffersIn({ buffers }: Described): Map<string, NumberArray> {
  return new Map(
    Object.entries(buffers).map(([name, { dtype, bytes }]) => {
      const like = LIKE.get(dtype);
      if (like === undefined) throw new TypeError(dtype);
      return [name, viewLike(like, Uint8Array.from(Buffer.from(bytes, "hex")))];
    }),
  );
}

const plainBuffers = (buffers: ReadonlyMap<string, NumberArray>) =>
  Object.fromEntries(
    [...buffers].map(([name, values]) => [
      name,
      `${values.constructor.name} ${Buffer.from(viewAsBytes(values)).toString("hex")}`,
    ]),
  );

/** Buffers whose rows may have several numbers. */
function rowsOf({ buffers }: Described, all: ReadonlyMap<string, NumberArray>) {
  const width = (name: string) => (buffers[name].dtype.startsWith("complex") ? 2 : 1);
  const source = buffersOf(all);
  return {
    ...source,
    length: (name: string) => source.length(name) / width(name),
    read: (name: string, start: number, end: number) => source.read(name, start * width(name), end * width(name)),
  };
}

/** What stands below a null, and where the nulls of a union are, is awkward's own affair. */
const UNLIKE = new Set(["bits from the other end", "union with missing"]);

describe("what awkward itself writes", () => {
  test.each(awkward.arrays)("$name: read, and written back as it was", async (described) => {
    const form = parseForm(described.form);
    const buffers = buffersIn(described);
    const column = await readRaggedColumn(form, rowsOf(described, buffers), 0, described.length);
    const values = Array.from({ length: column.length }, (_, i) => JSON.parse(encodeJsonValue(column, i)));
    expect(values).toEqual(described.values);
    const metadata = { kind: "awkward-array", form: JSON.parse(described.form) };
    const middle = Math.floor(described.length / 2);
    const back = written(
      { ...createField("value", column.type), metadata },
      batchesOf(column, [0, middle, described.length]),
    );
    expect(back.form).toBe(described.form);
    expect(back.length).toBe(described.length);
    if (!UNLIKE.has(described.name)) return expect(plainBuffers(back.buffers)).toEqual(plainBuffers(buffers));
    const again = await readRaggedColumn(parseForm(back.form), buffersOf(back.buffers), 0, back.length);
    expect(Array.from({ length: again.length }, (_, i) => JSON.parse(encodeJsonValue(again, i)))).toEqual(
      described.values,
    );
  });

  test.each(awkward.from_arrow)("$name of Arrow: the same form and buffers", async (described) => {
    const table = await convertInputToColumns(Uint8Array.from(Buffer.from(described.stream, "hex")));
    const batches: Column[] = [];
    for await (const { columns } of table.batches()) batches.push(columns[0]);
    const back = written(table.fields[0], batches);
    expect(back.form).toBe(described.form);
    expect(back.length).toBe(described.length);
    expect(plainBuffers(back.buffers)).toEqual(plainBuffers(buffersIn(described)));
  });
});

describe("what does not fit its form", () => {
  const lists = (offsets: string, content: object = numpy) => ({ class: "ListOffsetArray", offsets, content });
  const numpy = { class: "NumpyArray", primitive: "int8", inner_shape: [] };
  const int8 = (values: number[], missing: number[] = []): Column => ({
    layout: "primitive",
    type: { id: "Int", bits: 8, signed: true },
    length: values.length,
    validity: computeValidity(values.length, (i) => !missing.includes(i)),
    values: Int8Array.from(values),
  });
  const write = (form: unknown, column: Column) =>
    new RaggedWriter({ ...createField("value", column.type), metadata: { form } }).append(column);

  test("is an error where it is missing", () => {
    expect(() => write(numpy, int8([1, 2], [1]))).toThrow(InvalidInputError);
    expect(() => write(numpy, int8([1, 2], [1]))).toThrow(
      "node0: value 1 is missing, for which its form has no option",
    );
  });

  test("is an error where offsets pass their type", () => {
    // Empty lists take no memory.
    const empty = { id: "FixedSizeList", size: 0, item: createField("item", INT32) } as const;
    const none: Column = { layout: "primitive", type: INT32, length: 0, validity: null, values: new Int32Array() };
    const length = 2 ** 31 - 1;
    const column: Column = {
      layout: "list",
      type: { id: "List", item: createField("item", empty) },
      length: 1,
      validity: null,
      offsets: Int32Array.of(0, length),
      child: { layout: "fixed-size-list", type: empty, length, validity: null, child: none },
    };
    const regular = { class: "RegularArray", size: 0, content: { ...numpy, primitive: "int32" } };
    const of = (offsets: string) => ({
      ...createField("value", column.type),
      metadata: { form: lists(offsets, regular) },
    });
    const writer = new RaggedWriter(of("i32"));
    writer.append(column);
    expect(() => writer.append(column)).toThrow(InvalidInputError);
    expect(() => writer.append(column)).toThrow("node0-offsets would hold 4294967294, more than its type int32");
    expect(written(of("i64"), [column, column]).buffers.get("node0-offsets")).toEqual(
      BigInt64Array.of(0n, 2n ** 31n - 1n, 2n ** 32n - 2n),
    );
  });

  test("in another type than that of the form gets a form of its own", () => {
    const writer = new RaggedWriter({ ...createField("value", INT32, false), metadata: { form: lists("i64") } });
    writer.finish();
    expect(JSON.parse(writer.form)).toMatchObject({ class: "NumpyArray", primitive: "int32" });
  });

  test("is no form at all", () => {
    expect(
      () => new RaggedWriter({ ...createField("value", INT32), metadata: { form: { class: "ListOffsetArray" } } }),
    ).toThrow(InvalidInputError);
  });
});

test("a mask begins with the first missing value, whichever batch it is in", () => {
  const column = (length: number, missing: number | null): Column => ({
    layout: "primitive",
    type: INT32,
    length,
    validity: missing === null ? null : computeValidity(length, (i) => i !== missing),
    values: new Int32Array(length),
  });
  const back = written(createField("value", INT32), [column(11, null), column(2, null), column(5, 1), column(3, null)]);
  expect(JSON.parse(back.form)).toMatchObject({ class: "BitMaskedArray", valid_when: true, lsb_order: true });
  expect(back.buffers.get("node0-mask")).toEqual(Uint8Array.of(0xff, 0xbf, 0x1f));
  const none = written(createField("value", INT32), [column(11, null)]);
  expect(JSON.parse(none.form)).toMatchObject({ class: "UnmaskedArray" });
  expect([...none.buffers.keys()]).toEqual(["node1-data"]);
});
