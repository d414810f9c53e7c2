import { describe, expect, test } from "vitest";
import type { ByteSpill } from "../../../../../src/containers/tree/byte-spill.js";
import { createBytesSource } from "../../../../../src/io/sources/memory.js";
import { createTemporarySpill } from "../../../../../src/jobs/external-sort/spill.node.js";
import { viewAsBytes } from "../../../../../src/model/stored.js";
import { open } from "../../../../published/src/node.js";
import { openRds } from "../../../src/containers/rds/container.js";
import { encodeStrings } from "../../../src/containers/rds/model/text.js";
import type { RValue } from "../../../src/containers/rds/model/value.js";
import { encodeRds } from "../../../src/containers/rds/write/write.js";

const integers = (...values: number[]): RValue => ({
  kind: "integer",
  values: Int32Array.from(values),
  attributes: new Map(),
});
const text = (one: string): RValue => ({ kind: "character", text: encodeStrings([one]), attributes: new Map() });

/** Two vectors that are spilled (8 MiB and more), with all kinds of numbers, and a part of a block at their end. */
const COUNT = 2 ** 21 + 12_345;
const i = Int32Array.from({ length: COUNT }, (_, at) => Math.imul(at, 2_654_435_761) >>> 1);
const x = Float64Array.from({ length: COUNT }, (_, at) => [at / 7, -0, Number.NaN, 1e300, -at][at % 5]);

function object(className: string, slots: Record<string, RValue>): RValue {
  return { kind: "s4", className, package: "Matrix", slots: new Map(Object.entries(slots)) };
}

const LONG = object("holder", {
  i: { kind: "integer", values: i, attributes: new Map() },
  short: integers(1, 2),
  x: { kind: "real", values: x, attributes: new Map([["unit", text("m")]]) },
  after: text("the end"),
});

/** A spill on the disk that tells what was done with it. */
function spill() {
  const own = createTemporarySpill();
  const seen = { bytes: 0, removed: 0 };
  const counted: ByteSpill = {
    ...own,
    append(parts) {
      seen.bytes += parts.reduce((sum, { length }) => sum + length, 0);
      return own.append(parts);
    },
    async remove() {
      seen.removed++;
      await own.remove();
    },
  };
  return { seen, newSpill: async () => counted };
}

test.each(["gzip", "none"] as const)("long slots of %s leave memory, and are read in parts", async (compression) => {
  const { seen, newSpill } = spill();
  const container = await openRds(createBytesSource(await encodeRds(LONG, { compression })), { newSpill });
  expect(seen).toEqual({ bytes: 12 * COUNT, removed: 0 });
  for (const [name, values] of [["i", i] as const, ["x", x] as const]) {
    const array = await container.root.open(name);
    if (array.kind !== "array") throw new TypeError("a group");
    expect(array.shape).toEqual([COUNT]);
    // Across the border of a block, at the end, and nothing at all.
    for (const [start, end] of [
      [2 ** 19 - 3, 2 ** 20 + 5],
      [COUNT - 4, COUNT],
      [7, 7],
    ]) {
      const read = await array.read(start, end);
      if (read.kind !== "fixed") throw new TypeError("text");
      const expected = viewAsBytes(values.slice(start, end));
      expect(Buffer.from(viewAsBytes(read.values)).equals(Buffer.from(expected))).toBe(true);
      const target = new Uint8Array(expected.length);
      await array.readInto?.(start, end, target);
      expect(Buffer.from(target).equals(Buffer.from(expected))).toBe(true);
    }
    await expect(array.read(0, COUNT + 1)).rejects.toThrow(`values 0 to ${COUNT + 1} of ${COUNT}`);
  }
  expect((await container.root.open("x")).attributes.get("unit")).toBe("m");
  expect(await (await container.root.open("after")).attributes.size).toBe(0);
  await container.close();
  expect(seen.removed).toBe(1);
});

test("a file that ends early leaves nothing behind", async () => {
  const bytes = await encodeRds(LONG, { compression: "none" });
  const { seen, newSpill } = spill();
  await expect(openRds(createBytesSource(bytes.subarray(0, 10 * COUNT)), { newSpill })).rejects.toThrow("at most");
  expect(seen.removed).toBe(1);
});

/** A band matrix of `size` columns with `width` entries in each, as R's classes of Matrix have it. */
function band(className: string, size: number, width: number, more: Record<string, RValue> = {}): RValue {
  const count = size * width;
  const rows = Int32Array.from({ length: count }, (_, at) => Math.floor(at / width) % (size - width));
  for (let at = 0; at < count; at++) rows[at] += at % width;
  return object(className, {
    i: { kind: "integer", values: rows, attributes: new Map() },
    p: { kind: "integer", values: Int32Array.from({ length: size + 1 }, (_, at) => at * width), attributes: new Map() },
    Dim: integers(size, size),
    x: { kind: "real", values: Float64Array.from({ length: count }, (_, at) => at + 1), attributes: new Map() },
    ...more,
  });
}

describe("matrices with long slots", () => {
  async function sums(value: RValue) {
    const data = await open(await encodeRds(value));
    const found = { entries: 0, row: 0, col: 0, value: 0 };
    for await (const batch of data.table("matrix").batches()) {
      const columns = ["row", "col", "value"].map((name) => batch.getChild(name)?.toArray());
      found.entries += batch.numRows;
      for (const [at, name] of (["row", "col", "value"] as const).entries()) {
        for (const one of columns[at]) found[name] += one;
      }
    }
    await data.close();
    return found;
  }

  test("stored as they are", async () => {
    const [size, width] = [5000, 450];
    const count = size * width;
    const cols = (width * size * (size - 1)) / 2;
    const row = (column: number) => width * (column % (size - width)) + (width * (width - 1)) / 2;
    const rows = Array.from({ length: size }, (_, column) => row(column)).reduce((sum, one) => sum + one, 0);
    const expected = { entries: count, row: rows, col: cols, value: (count * (count + 1)) / 2 };
    expect(await sums(band("dgCMatrix", size, width))).toEqual(expected);
  });

  test("of which R keeps a half", async () => {
    const [size, width] = [2400, 450];
    // Entries on the diagonal are not mirrored.
    const inColumns = Array.from({ length: size }, (_, column): number => {
      const first = column % (size - width);
      return column >= first && column < first + width ? 1 : 0;
    });
    const diagonal = inColumns.reduce((sum, one) => sum + one, 0);
    const found = await sums(band("dsCMatrix", size, width, { uplo: text("U") }));
    expect(found.entries).toBe(2 * size * width - diagonal);
    expect(found.row).toBe(found.col);
  });

  test("dense ones", async () => {
    const side = 1100;
    const values = Float64Array.from({ length: side * side }, (_, at) => at);
    const dense = object("dgeMatrix", {
      x: { kind: "real", values, attributes: new Map() },
      Dim: integers(side, side),
    });
    const data = await open(await encodeRds(dense));
    const table = await data.table("matrix").read({ rows: [1, 3] });
    const row = [...(table.get(1)?.value ?? [])];
    expect(row.slice(0, 3)).toEqual([2, side + 2, 2 * side + 2]);
    await data.close();
  });
});
