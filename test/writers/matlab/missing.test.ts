/** Tables that were read from MATLAB and changed since: what their values have no form for any more is an error, or is said. */

import { expect, test } from "vitest";
import type { Column } from "../../../src/arrow/column.js";
import { createField } from "../../../src/arrow/type.js";
import { computeValidity } from "../../../src/kernels/values/bitmap.js";
import { tableOf as readTable } from "../../readers/anndata/expected.js";
import { floats, ints, ragged, table, text } from "../tables.js";
import { writeTables } from "./write.js";

/** The second list is missing. */
function gap(): Column {
  const column = ragged([0, 2, 2, 3], floats(Float64Array.of(1, 2, 3)));
  return { ...column, validity: computeValidity(3, (i) => i !== 1) };
}

test("a list that is missing in a struct array is an error", async () => {
  const metadata = { kind: "rec-array", class: "struct", size: [3, 1], shape: [3, 1] };
  const struct = table("s", [{ a: gap(), b: floats(Float64Array.of(1, 2, 3)) }], { metadata });
  await expect(writeTables([struct])).rejects.toThrow("s/a: row 1 of 3 has a missing list");
});

test("values that are missing in a dataset without a class are an error", async () => {
  const metadata = { kind: "array", size: [3], shape: [3] };
  const numbers = table("n", [{ value: ints(Int32Array.of(1, 0, 3), 1) }], { metadata });
  await expect(writeTables([numbers])).rejects.toThrow("row 1 of 3 has a missing value");
  const texts = table("t", [{ value: text("a", null, "c") }], { metadata: { ...metadata, kind: "string-array" } });
  await expect(writeTables([texts])).rejects.toThrow("row 1 of 3 has a missing value");
});

test("texts of other lengths than before are padded in a matrix of characters, which is said", async () => {
  const metadata = { kind: "string-array", class: "char", size: [2, 3], shape: [2, 3] };
  const { data, warnings } = await writeTables([table("c", [{ value: text("abc", "de") }], { metadata })]);
  expect((await readTable(data.table("c"))).columns.value).toEqual(["abc", "de "]);
  expect(warnings).toEqual(["c: texts of several lengths are padded with spaces"]);
});

const int16 = { kind: "array", class: "int16", size: [2, 1], shape: [2, 1] };

function pairs(names: readonly [string, string]): Column {
  const children = [ints(Int16Array.of(1, 2)), ints(Int16Array.of(3, 4))];
  const fields = children.map(({ type }, i) => createField(names[i], type, false));
  return { layout: "struct", type: { id: "Struct", fields }, length: 2, validity: null, children };
}

test("complex integers keep their class", async () => {
  const { warnings, data } = await writeTables([table("z", [{ value: pairs(["real", "imag"]) }], { metadata: int16 })]);
  expect(warnings).toEqual([]);
  expect(data.table("z").metadata).toMatchObject(int16);
  expect((await readTable(data.table("z"))).columns.value).toEqual([
    { real: 1, imag: 3 },
    { real: 2, imag: 4 },
  ]);
});

test("a class whose values have no form any more is said", async () => {
  const { warnings, data } = await writeTables([table("z", [{ value: pairs(["a", "b"]) }], { metadata: int16 })]);
  expect(warnings).toEqual(["z: its columns are not written as class int16, but as they are"]);
  expect((await readTable(data.table("z"))).columns.value).toEqual([
    { a: 1, b: 3 },
    { a: 2, b: 4 },
  ]);
});

test("integers of a sparse matrix that a double does not hold are an error, however near it is", async () => {
  const matrix = (value: bigint) =>
    table("X", [{ row: ints(Int32Array.of(0)), col: ints(Int32Array.of(0)), value: ints(BigInt64Array.of(value)) }], {
      metadata: { kind: "csc_matrix", shape: [1, 1], order: "column" },
    });
  for (const value of [2n ** 53n + 1n, -(2n ** 53n) - 1n, 2n ** 62n + 1n]) {
    await expect(writeTables([matrix(value)])).rejects.toThrow(`value ${value}, which a double does not hold`);
  }
  for (const value of [2n ** 53n, -(2n ** 53n), 2n ** 62n]) {
    const { data } = await writeTables([matrix(value)]);
    expect((await readTable(data.table("X"))).columns.value).toEqual([Number(value)]);
  }
});
