import { describe, expect, test } from "vitest";
import { tablesOf } from "../anndata/expected.js";
import { openFixture } from "./fixtures.js";

/** Failures by element: class and message. */
async function failuresOf(name: string): Promise<Map<string, string>> {
  const { failures } = await openFixture(name);
  return new Map([...failures].map(([element, error]) => [element, `${error.tag} ${error.problem}`]));
}

describe("a file with broken elements of every kind", () => {
  test.each([
    ["layers/turned", /^InvalidDataError shape \[8,10\], the matrix has \[10,8\]/],
    ["layers/group", /^InvalidDataError a group, a matrix is needed/],
    ["layers/away", /^UnsupportedError external link/],
    ["row_attrs/short", /^InvalidDataError 9 values, the matrix has 10 rows/],
    ["row_attrs/scalar", /^InvalidDataError a scalar, the matrix has 10 rows/],
    ["row_attrs/nothing", /^InvalidDataError no value, the matrix has 10 rows/],
    ["row_attrs/pointer", /^UnsupportedError object references/],
    ["col_attrs/long", /^InvalidDataError 9 values, the matrix has 8 columns/],
    ["col_graphs/beyond", /^InvalidDataError holds 8, the graph has the nodes 0 … 7/],
    ["col_graphs/negative", /^InvalidDataError holds -1, the graph has the nodes 0 … 7/],
    ["col_graphs/lengths", /^InvalidDataError a has 3, b has 2, w has 3 values/],
    ["col_graphs/no_w", /^NotFoundError a graph without w/],
    ["col_graphs/fraction", /^InvalidDataError value 0 is 0.5/],
    ["col_graphs/not_a_number", /^InvalidDataError value 0 is NaN/],
    ["col_graphs/text", /^InvalidDataError a holds text of shape \[2\]/],
    ["col_graphs/square", /^InvalidDataError a holds int of shape \[2,2\]/],
    ["col_graphs/array", /^InvalidDataError an array, a group with a, b and w/],
    ["attrs/again", /^InvalidDataError a link leads back/],
    ["attrs/loop", /soft links/],
  ])("names %s", async (element, message) => {
    expect((await failuresOf("hidden")).get(element)).toMatch(message);
  });

  test("names no other, and reads the rest", async () => {
    const data = await openFixture("hidden");
    expect(data.failures.size).toBe(19);
    const tables = await tablesOf(data);
    expect(Object.keys(tables).sort()).toEqual(
      [
        ...["matrix", "layers/good", "row_attrs", "col_attrs", "row_graphs/good", "col_graphs/good"],
        "attrs/LOOM_SPEC_VERSION",
      ].sort(),
    );
    expect(Object.keys(tables.row_attrs.columns)).toEqual(["good", "n".repeat(60_000)]);
    expect(tables["col_graphs/good"].columns).toEqual({ row: [0, 7], col: [7, 0], value: [1, 1] });
  });

  test("takes the version of the dataset, not of the attribute, with or without v", async () => {
    const data = await openFixture("hidden");
    expect(data.version).toBe("3.0.0");
    expect(Object.values((await tablesOf(data))["attrs/LOOM_SPEC_VERSION"].columns)).toEqual([["v3.0.0"]]);
  });

  test("a failed element throws its own error with file and place", async () => {
    const data = await openFixture("hidden");
    expect(() => data.table("row_attrs/short")).toThrow(/hidden\.loom: row_attrs\/short: 9 values/);
  });
});

test("without a matrix, the layers say how long the axes are", async () => {
  const data = await openFixture("no-matrix");
  expect(data.shape).toEqual([2, 3]);
  expect(await failuresOf("no-matrix")).toEqual(
    new Map([
      ["matrix", "NotFoundError a Loom file without it"],
      ["col_attrs/short", "InvalidDataError 2 values, the matrix has 3 columns"],
    ]),
  );
  expect(Object.keys(await tablesOf(data))).toEqual(["layers/spliced", "row_attrs", "col_attrs"]);
});
