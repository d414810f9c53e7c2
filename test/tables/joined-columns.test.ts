import { describe, expect, test } from "vitest";
import type { Column } from "../../src/arrow/column.js";
import { createTextColumn, decodeTextValues } from "../../src/arrow/text.js";
import { INT32, UTF8 } from "../../src/arrow/type.js";
import { InvalidInputError } from "../../src/model/errors.js";
import type { ColumnTable } from "../../src/tables/column-table.js";
import { indexAsColumn } from "../../src/tables/frame-index.js";
import { joinColumnTables } from "../../src/tables/joined-columns.js";
import { createListingMembers, selectTableColumns } from "../../src/tables/reshaped-tables.js";

const integers = (values: number[]): Column => ({
  ...{ layout: "primitive", type: INT32, validity: null, length: values.length },
  values: Int32Array.from(values),
});

/** A column of integers and one of the same as text, in batches of these lengths. */
function table(name: string, lengths: readonly number[], known = true): ColumnTable {
  const rows = lengths.reduce((sum, length) => sum + length, 0);
  return {
    ...createListingMembers(name, known ? rows : null),
    ...{ repeatable: true, metadata: null },
    fields: [
      { name: `${name} n`, type: INT32, nullable: false },
      { name: `${name} text`, type: UTF8, nullable: false },
    ],
    async *batches() {
      let row = 0;
      for (const length of lengths) {
        const values = Array.from({ length }, (_, i) => row + i);
        yield { length, columns: [integers(values), createTextColumn(values.map((value) => `${name}${value}`))] };
        row += length;
      }
    },
  };
}

function plain(column: Column): unknown[] {
  if (column.layout === "primitive") return [...column.values].slice(0, column.length);
  return column.layout === "variable" ? decodeTextValues(column) : [];
}

/** All rows, column by column, and the lengths of the batches. */
async function read(given: ColumnTable): Promise<{ columns: unknown[][]; lengths: number[] }> {
  const columns: unknown[][] = given.fields.map(() => []);
  const lengths: number[] = [];
  for await (const batch of given.batches()) {
    lengths.push(batch.length);
    for (const [i, column] of batch.columns.entries()) {
      expect(column.length).toBe(batch.length);
      columns[i].push(...plain(column));
    }
  }
  return { columns, lengths };
}

describe("columns of several tables", () => {
  test.each<[number[], number[], number[]]>([
    [[5], [5], [5]],
    [
      [2, 3],
      [4, 1],
      [2, 2, 1],
    ],
    [
      [0, 5],
      [1, 0, 0, 4],
      [1, 4],
    ],
    [[0], [0], [0]],
    [[0, 0], [0], [0]],
  ])("batches of %j and %j rows", async (mine, theirs, lengths) => {
    const joined = joinColumnTables("both", [table("a", mine), table("b", theirs)], { kind: "dataframe" });
    const found = await read(joined);
    expect(found.lengths).toEqual(lengths);
    const rows = mine.reduce((sum, length) => sum + length, 0);
    expect(joined).toMatchObject({ name: "both", rows, repeatable: true });
    const numbers = Array.from({ length: rows }, (_, i) => i);
    const texts = (name: string) => numbers.map((i) => `${name}${i}`);
    expect(found.columns).toEqual([numbers, texts("a"), numbers, texts("b")]);
    expect(await read(joined)).toEqual(found);
  });

  test("other numbers of rows are an error that names both tables, before or while they are read", async () => {
    expect(() => joinColumnTables("both", [table("a", [3]), table("b", [4])], null)).toThrow("b: 4 rows, a has 3");
    const joined = joinColumnTables("both", [table("a", [3], false), table("b", [1, 3], false)], null);
    expect(joined.rows).toBeNull();
    await expect(read(joined)).rejects.toThrow("b: 4 rows, a has 3");
  });

  test("a name that two tables have is an error", () => {
    expect(() => joinColumnTables("both", [table("a", [1]), { ...table("a", [1]), name: "other" }], null)).toThrow(
      /other: a column "a n", and a has one as well: rename one, or leave one out/,
    );
  });

  test("all are ended where a consumer leaves early", async () => {
    let ended = 0;
    const noted = (one: ColumnTable): ColumnTable => ({
      ...one,
      async *batches() {
        try {
          yield* one.batches();
        } finally {
          ended++;
        }
      },
    });
    for await (const _ of joinColumnTables(
      "both",
      [noted(table("a", [1, 1])), noted(table("b", [2]))],
      null,
    ).batches()) {
      break;
    }
    expect(ended).toBe(2);
  });
});

test("some columns, under other names", async () => {
  const chosen = selectTableColumns(
    table("a", [2, 1]),
    "x",
    [{ place: 1, field: { name: "y", type: UTF8, nullable: false } }],
    {
      kind: "dataframe",
    },
  );
  expect(chosen.fields.map(({ name }) => name)).toEqual(["y"]);
  expect(await read(chosen)).toEqual({ columns: [["a0", "a1", "a2"]], lengths: [2, 1] });
});

describe("an index as a column", () => {
  const index = { name: "a text", field: 1, range: [0, 1], asColumn: null, guessed: false } as const;

  test("comes first, as text", async () => {
    const frame = indexAsColumn(table("a", [2, 1]), { index, name: "CellID", remedy: "" }, [0]);
    expect(frame.fields.map(({ name }) => name)).toEqual(["CellID", "a n"]);
    expect((await read(frame)).columns).toEqual([
      ["a0", "a1", "a2"],
      [0, 1, 2],
    ]);
  });

  test("a column of its name must hold the same", async () => {
    const other = indexAsColumn(table("a", [2, 1]), { index, name: "a n", remedy: "do this" }, [0]);
    await expect(read(other)).rejects.toThrow(InvalidInputError);
    await expect(read(other)).rejects.toThrow(/there is one with other values \(row 0: "a0", "0"\): do this/);
    const same = indexAsColumn(table("a", [2]), { index: { ...index, field: 0 }, name: "a n", remedy: "" }, [0]);
    expect((await read(same)).columns).toEqual([["0", "1"]]);
  });
});
