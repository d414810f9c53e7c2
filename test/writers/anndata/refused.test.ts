/** Tables that do not fit together, and names that have no place in a store. */

import { describe, expect, test } from "vitest";
import { InvalidInputError } from "../../../src/model/errors.js";
import { floats, ints, lists, names, table, tableOf, text } from "../tables.js";
import { frames, type Options, written } from "./write.js";

const refused = (tables: Parameters<typeof written>[0], options: Options = {}) =>
  expect(written(tables, options)).rejects.toSatisfy(
    (error) => error instanceof InvalidInputError && Boolean(error.message),
  );
const message = async (tables: Parameters<typeof written>[0]): Promise<string> => {
  const error = await written(tables).then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(InvalidInputError);
  return error instanceof Error ? error.message : "";
};

const rows = (n: number, k: number) => ({ value: lists(k, floats(new Float64Array(n * k))) });
const entries = (row: number[], col: number[]) => ({
  row: ints(Int32Array.from(row)),
  col: ints(Int32Array.from(col)),
  value: floats(new Float64Array(row.length)),
});
const csr = { kind: "csr_matrix", shape: [4, 3], order: "row" };

describe("lengths that do not fit name both elements and both numbers", () => {
  test("X, layers, obsm, obsp, raw", async () => {
    expect(await message([...frames(4, 3), table("X", [rows(5, 3)])])).toBe("X: 5 rows, obs has 4 rows");
    expect(await message([...frames(4, 3), table("layers/a", [rows(4, 2)])])).toBe(
      "layers/a: 2 columns, var has 3 rows",
    );
    expect(await message([...frames(4, 3), table("obsm/e", [rows(3, 2)])])).toBe("obsm/e: 3 rows, obs has 4 rows");
    expect(await message([...frames(4, 3), table("varp/e", [rows(3, 4)])])).toBe("varp/e: 4 columns, var has 3 rows");
    expect(await message([...frames(4, 3), table("raw/X", [rows(3, 9)])])).toBe("raw/X: 3 rows, obs has 4 rows");
    const raw = [table("raw/X", [rows(4, 9)]), table("raw/var", [{ _index: names(8, "r") }])];
    expect(await message([...frames(4, 3), ...raw])).toBe("raw/X: 9 columns, raw/var has 8 rows");
  });

  test("also where only the end of a stream tells", async () => {
    const late = table("X", [rows(2, 3), rows(3, 3)], { counted: false });
    expect(await message([...frames(4, 3), late])).toBe("X: 5 rows, obs has 4 rows");
    const obs = table("obs", [{ _index: names(2, "c") }, { _index: names(3, "d") }], { counted: false });
    expect(await message([obs, frames(1, 3)[1], table("X", [rows(4, 3)])])).toBe("obs: 5 rows, X has 4 rows");
  });

  test("a given shape is named as such", async () => {
    await expect(written(frames(4, 3), { shape: [5, 3] })).rejects.toThrow("X: the shape has 5 rows, obs has 4 rows");
    await expect(written([table("X", [rows(4, 2)])], { shape: [4, 3] })).rejects.toThrow(
      "X: the shape has 3 columns, X has 2 columns",
    );
  });

  test("a sparse matrix by its shape, and without obs and var by its own", async () => {
    expect(await message([...frames(5, 3), table("X", [entries([], [])], { metadata: csr })])).toBe(
      "X: 4 rows, obs has 5 rows",
    );
    expect(await message([table("X", [entries([0], [0])])])).toContain(
      "X: coordinates without a shape: give obs and var",
    );
  });
});

describe("coordinates", () => {
  test("outside the shape are refused, with the table that has too few rows", async () => {
    expect(await message([...frames(4, 3), table("X", [entries([0, 1], [0, 3])], { metadata: csr })])).toBe(
      "X: col of entry 1 is 3, outside 0 … 2; var has 3 rows",
    );
    expect(
      await message([...frames(4, 3), table("X", [entries([0], [0]), entries([4], [0])], { metadata: csr })]),
    ).toBe("X: row of entry 1 is 4, outside 0 … 3; obs has 4 rows");
    expect(await message([...frames(4, 3), table("X", [entries([0], [-1])], { metadata: csr })])).toContain(
      "is -1, outside",
    );
    expect(await message([...frames(4, 3), table("X", [entries([9], [0])])])).toContain(
      "row of entry 0 is 9, outside 0 … 3",
    );
  });

  test("out of the order that was promised are refused", async () => {
    expect(
      await message([...frames(4, 3), table("X", [entries([2], [0]), entries([1], [0])], { metadata: csr })]),
    ).toContain("X: row of entry 1 is 1 after 2, and the table says that its entries are in row order");
  });

  test("and values are never missing", async () => {
    const missing = { ...entries([0], [0]), col: ints(Int32Array.of(0), 0) };
    await refused([...frames(4, 3), table("X", [missing], { metadata: csr })]);
    const value = { ...entries([0], [0]), value: ints(Int32Array.of(0), 0) };
    await refused([...frames(4, 3), table("X", [value], { metadata: csr })]);
  });
});

describe("batches", () => {
  test("of another type or width than the schema are refused", async () => {
    const first = { _index: text("a"), v: ints(Int32Array.of(1)) };
    const other = table("obs", [first, { _index: text("b"), v: ints(Int16Array.of(1)) }]);
    expect(await message([other, frames(2, 1)[1]])).toBe(
      'obs: column "v" of the batch at row 1 is Int16, the schema says Int32',
    );
    const fewer = tableOf("obs", table("obs", [first]).fields, [{ length: 1, columns: [text("a")] }], { rows: 1 });
    expect(await message([fewer, frames(1, 1)[1]])).toBe("obs: a batch of 1 columns, the schema has 2");
  });

  test("of more or fewer rows than the table says are refused", async () => {
    const one = table("obs", [{ _index: text("a") }]);
    expect(await message([{ ...one, rows: 2 }, frames(2, 1)[1]])).toContain("obs: 1 rows, the table says 2");
    expect(await message([{ ...one, rows: 0 }, frames(0, 1)[1]])).toContain("obs: 1 rows, the table says 0");
  });
});

describe("names", () => {
  test("that lead elsewhere, are empty or have a slash are refused", async () => {
    for (const name of ["obsm/..", "uns/../X", "obsm//a", "/X", "uns/.", "X/"]) {
      await refused([...frames(1, 1), table(name, [rows(1, 1)])]);
    }
    for (const column of ["a/b", "", "..", "_index"]) {
      await refused([table("obs", [{ index: text("a"), [column]: ints(Int8Array.of(1)) }]), frames(1, 1)[1]]);
    }
  });

  test("that stand twice are refused, names of rows may", async () => {
    const twice = table("obs", [{ index: text("a"), v: ints(Int8Array.of(1)) }]);
    const fields = [...twice.fields, twice.fields[1]];
    const batch = { length: 1, columns: [text("a"), ints(Int8Array.of(1)), ints(Int8Array.of(2))] };
    expect(await message([tableOf("obs", fields, [batch], { rows: 1 }), frames(1, 1)[1]])).toBe(
      'obs: two columns are called "v"',
    );
    const { out } = await written([table("obs", [{ index: text("a", "a") }]), frames(1, 1)[1]]);
    expect(out.at("obs/index").values).toEqual(["a", "a"]);
  });

  test("of mappings are no tables, and no table stands below another", async () => {
    await refused([...frames(1, 1), table("uns", [rows(1, 1)])]);
    await refused([...frames(1, 1), table("uns/a", [rows(1, 1)]), table("uns/a/b", [rows(1, 1)])]);
  });
});

test("a matrix of one dimension is refused", async () => {
  expect(await message([...frames(2, 1), table("X", [{ value: floats(Float64Array.of(1, 2)) }])])).toContain(
    "X: a matrix of 1 dimensions; it has two",
  );
});

test("an index of several columns, or without a name in a row, is refused", async () => {
  const columns = { a: text("x"), b: text("y") };
  await refused([table("obs", [columns], { pandas: { index_columns: ["a", "b"] } }), frames(1, 1)[1]]);
  await refused([table("obs", [{ index: text(null) }]), frames(1, 1)[1]]);
  await refused([table("obs", [columns]), frames(1, 1)[1]], { index: { obs: "c" } });
});

test("a signal that is aborted stops at the next batch", async () => {
  const controller = new AbortController();
  const obs = table("obs", [{ _index: text("a") }]);
  async function* batches() {
    yield { length: 1, columns: [text("a")] };
    controller.abort(new Error("enough"));
    yield { length: 1, columns: [text("b")] };
  }
  await expect(
    written([{ ...obs, rows: null, batches }, frames(1, 1)[1]], { signal: controller.signal }),
  ).rejects.toThrow("enough");
});
