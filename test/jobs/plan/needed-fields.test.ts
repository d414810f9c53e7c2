/** Compounds of which some fields are chosen, beside what h5py reads (test/fixtures/hdf5/make_record_parts.py). */

import { readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { open } from "../../../packages/published/src/node.js";
import { openHdf5 } from "../../../src/containers/hdf5/container.js";
import type { ByteSource } from "../../../src/io/sources/source.js";
import { withNeededFields } from "../../../src/jobs/plan/needed-fields.js";
import type { ColumnPlan } from "../../../src/jobs/plan/plan.js";
import type { StoredValues } from "../../../src/model/stored.js";
import { plain } from "../../arrow/plain.js";

const PATH = "test/fixtures/data/plain/record_parts.h5";
const EXPECTED: Record<string, readonly unknown[]> = JSON.parse(
  readFileSync("test/fixtures/data/plain/record_parts.expected.json", "utf8"),
);
const ROWS = 500;

/** The values of the chosen columns, by their names. */
async function valuesOf(name: string, columns: readonly string[]): Promise<Record<string, unknown[]>> {
  const data = await open(PATH);
  onTestFinished(() => data.close());
  const found = Object.fromEntries(columns.map((column): [string, unknown[]] => [column, []]));
  for await (const batch of data.table(name).batches({ columns })) {
    expect(batch.schema.fields.map((field) => field.name)).toEqual(columns);
    batch.schema.fields.forEach((field, i) => {
      for (let row = 0; row < batch.numRows; row++) {
        found[field.name].push(inWords(plain(batch.data.children[i], row, (values, at) => Number(values[at]))));
      }
    });
  }
  return found;
}

/** Integers of 64 bits as numbers, as JSON has them. */
function inWords(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) return value.map(inWords);
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inWords(one)]));
  }
  return value;
}

const ALL = Object.keys(EXPECTED);
const CHOICES = [
  ...ALL.map((name) => [name]),
  ["id", "last"],
  ["inner", "note"],
  ["r", "i"],
  ["i", "list", "big"],
  ALL,
];

test.each(["contiguous", "chunked"])("chosen fields of a %s dataset have the values that h5py reads", async (name) => {
  for (const columns of CHOICES) {
    const found = await valuesOf(name, columns);
    for (const column of columns) {
      const values = found[column];
      expect(values.length, `${columns}`).toBe(ROWS);
      expect([...values.slice(0, 5), ...values.slice(-5)], `${columns}: ${column}`).toEqual(EXPECTED[column]);
    }
  }
  const whole = await valuesOf(name, ALL);
  for (const columns of CHOICES) {
    const part = await valuesOf(name, columns);
    for (const column of columns) expect(part[column], `${columns}: ${column}`).toEqual(whole[column]);
  }
});

test("no chosen column gives the rows alone", async () => {
  const data = await open(PATH);
  onTestFinished(() => data.close());
  let rows = 0;
  for await (const batch of data.table("chunked").batches({ columns: [] })) rows += batch.numRows;
  expect(rows).toBe(ROWS);
});

async function openCounted() {
  const bytes = new Uint8Array(readFileSync(PATH));
  const read = { bytes: 0 };
  const source: ByteSource = {
    kind: "bytes",
    name: "record_parts.h5",
    size: bytes.length,
    read: async (start, end) => {
      read.bytes += end - start;
      return bytes.subarray(start, end);
    },
    close: async () => undefined,
  };
  const container = await openHdf5(source);
  onTestFinished(() => container.close());
  const array = await container.root.open("contiguous");
  if (array.kind !== "array" || array.type.kind !== "record") throw new Error("records");
  return { array, names: array.type.fields.map(({ name }) => name), read };
}

test("fields that are not chosen are neither decoded nor fetched from the heap of texts", async () => {
  const { array, names, read } = await openCounted();
  const part = array.capabilities?.withFields?.([0, names.indexOf("last")]);
  if (part?.type.kind !== "record") throw new Error("a part of the records");
  expect(part.type.fields.map(({ name }) => name)).toEqual(["id", "last"]);
  read.bytes = 0;
  const values = await part.read(0, ROWS);
  const partly = read.bytes;
  expect(values.kind === "record" ? values.fields.map(lengthOf) : null).toEqual([ROWS * 4, ROWS]);
  read.bytes = 0;
  await array.read(0, ROWS);
  // Each note has 20 times two bytes and more, which lie in the heap.
  expect(read.bytes - partly).toBeGreaterThan(ROWS * 40);
});

function lengthOf(values: StoredValues): number {
  return values.kind === "fixed" ? values.values.byteLength : -1;
}

test("fields that would read as a complex number stay with the others", async () => {
  const { array, names } = await openCounted();
  expect(array.capabilities?.withFields?.([names.indexOf("r"), names.indexOf("i")])).toBeNull();
});

test("a column of whole records keeps all of their fields", async () => {
  const { array } = await openCounted();
  const columns: readonly ColumnPlan[] = [
    { kind: "field", array, field: 0 },
    { kind: "array", array },
    { kind: "field", array, field: 2 },
  ];
  expect(withNeededFields(columns, [0, 1])).toBe(columns);
  const chosen = withNeededFields(columns, [2]);
  expect(chosen.slice(0, 2)).toEqual(columns.slice(0, 2));
  expect(chosen[2]).toMatchObject({ kind: "field", field: 0 });
});
