import { describe, expect, test } from "vitest";
import { ints, names, table, text } from "../tables.js";
import { coordinates, lists, readBack, small, written } from "./matrices.js";

describe("tables that do not fit", () => {
  const values = (at: readonly number[]) => ints(Uint32Array.from(at, (i) => i + 1));
  const matrix = coordinates(small, { values, order: "column" });
  const namesTable = (name: string, column: ReturnType<typeof text>) => table(name, [{ value: column }]);

  test.each([
    [
      "other names than rows",
      { matrix, row_names: namesTable("row_names", names(4, "g")) },
      /row_names: 4 names for 3 rows of the matrix/,
    ],
    [
      "a missing name",
      { matrix, col_names: namesTable("col_names", text("a", null)) },
      /col_names: name 1 of 2 is missing/,
    ],
    ["a name of two lines", { matrix, col_names: namesTable("col_names", text("a", "b\nc")) }, /newline/],
    ["a name with a NUL", { matrix, col_names: namesTable("col_names", text("a\0", "b")) }, /NUL/],
    ["a name that loses its end", { matrix, col_names: namesTable("col_names", text("a\r", "b")) }, /carriage return/],
    ["names alone", { row_names: namesTable("row_names", text("a")) }, /row_names: names without matrix/],
    ["another table", { matrix, obs: matrix }, /obs: a store of BPCells has no such table/],
    ["a prefix in a directory", { "rna/matrix": matrix }, /rna: a directory of arrays has no groups/],
    ["nothing", {}, /neither a matrix nor fragments/],
  ] as const)("%s", async (_, tables, message) => {
    await expect(written(tables)).rejects.toThrow(message);
  });

  test("names of a stream are counted while they pass", async () => {
    const stream = (count: number) => ({
      ...namesTable("row_names", names(count, "g")),
      rows: null,
    });
    await expect(written({ matrix, row_names: stream(2) })).rejects.toThrow(/row_names: 2 names for 3 rows/);
    await expect(written({ matrix, row_names: stream(4) })).rejects.toThrow(/more than 3 names for 3 rows/);
  });

  test("entries outside the shape, or out of the order that is promised", async () => {
    const outside = { shape: [3, 1], entries: small.entries } as const;
    await expect(written({ matrix: coordinates(outside, { values, order: "column" }) })).rejects.toThrow(
      /col of entry 1 is 1, outside 0 … 0/,
    );
    await expect(written({ matrix: coordinates(small, { values, order: "row" }) })).rejects.toThrow(
      /row of entry 1 is 0 after 2/,
    );
    const listed = lists({ shape: [3, 2], entries: [{ row: 3, col: 0, at: 0 }] }, "column", { values });
    await expect(written({ matrix: listed })).rejects.toThrow(/row of entry 0 is 3, outside 0 … 2/);
  });

  test("a shape that nothing tells is asked for, and may come from the names", async () => {
    const unknown = { ...matrix, metadata: null };
    await expect(written({ matrix: unknown })).rejects.toThrow(/nothing says how many rows it has/);
    expect((await readBack((await written({ matrix: unknown }, { shape: [3, 2] })).files)).shape).toEqual([3, 2]);
    const named = {
      matrix: unknown,
      row_names: namesTable("row_names", text("é", "", "漢")),
      col_names: namesTable("col_names", text("a", "a")),
    };
    expect(await readBack((await written(named)).files)).toMatchObject({
      shape: [3, 2],
      rowNames: ["é", "", "漢"],
      colNames: ["a", "a"],
    });
  });
});
