import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { changePlanLayout, selectEntries } from "../../../src/jobs/plan/matrix-plan.js";
import type { TablePlan } from "../../../src/jobs/plan/plan.js";
import type { Layout } from "../../../src/model/dataset.js";
import { InvalidDataError, UnsupportedError } from "../../../src/model/errors.js";
import type { NumberArray, StoredType } from "../../../src/model/stored.js";
import { bitsOf, type Plain } from "../../arrow/plain.js";
import { draws } from "../../draws.js";
import { memoryArray } from "../../stored-array.js";
import { columnsPlan, rowsIn, rowsOf, sparse, sparsePlan } from "../plans.js";
import { type Positions, part, positionsOf, taken, upTo } from "./parts.js";

const FLOAT32: StoredType = { kind: "float", bits: 32 };
const float = (value: number) => bitsOf(Float32Array.of(value), 0);

/** A matrix, dense or sparse in either order, with positions of both axes, and of a part of the part. */
const matrices = fc
  .record({ height: fc.nat(7), width: fc.integer({ min: 1, max: 7 }) })
  .chain(({ height, width }) =>
    fc.record({
      ...{ height: fc.constant(height), width: fc.constant(width) },
      values: fc.array(fc.constantFrom(0, 0, 0, 1, -2, 0.5, Number.NaN), {
        minLength: height * width,
        maxLength: height * width,
      }),
      rows: positionsOf(height),
      cols: positionsOf(width),
      chunk: fc.constantFrom(undefined, 1, 3, 64),
      batchBytes: fc.constantFrom(1, 100, 1e6),
      wide: fc.boolean(),
    }),
  )
  .chain((random) =>
    fc.record({
      random: fc.constant(random),
      again: fc.tuple(
        positionsOf(random.rows?.length ?? random.height),
        positionsOf(random.cols?.length ?? random.width),
      ),
    }),
  );
type Random = typeof matrices extends fc.Arbitrary<{ random: infer T }> ? T : never;

type Grid = readonly (readonly number[])[];

const gridOf = ({ height, width, values }: Random): Grid =>
  upTo(height).map((row) => values.slice(row * width, (row + 1) * width));
const partOfGrid = (grid: Grid, rows: Positions, cols: Positions): Grid =>
  taken(grid, rows).map((row) => taken(row, cols));
const entriesOf = (grid: Grid): Plain[][] =>
  grid.flatMap((line, row) => line.flatMap((value, col) => (value === 0 ? [] : [[row, col, float(value)]])));

const denseTable = ({ height, width, values, chunk }: Random): TablePlan => ({
  ...columnsPlan({
    kind: "array",
    array: memoryArray(
      FLOAT32,
      [height, width],
      { kind: "fixed", values: Float32Array.from(values) },
      chunk === undefined ? {} : { chunks: [chunk, 2] },
    ),
  }),
  metadata: { kind: "array", shape: [height, width] },
  columnNames: async () => upTo(width).map((col) => `gene ${col}`),
});

describe("rows and columns of a dense matrix", () => {
  const slow: Partial<Record<Layout, (grid: Grid) => Plain[][]>> = {
    dense: (grid) => grid.map((row) => [row.map(float)]),
    columns: (grid) => grid.map((row) => row.map(float)),
    coordinate: entriesOf,
  };

  test.each(["dense", "columns", "coordinate"] as const)(
    "in layout %s, before and after the choice",
    async (layout) => {
      await fc.assert(
        fc.asyncProperty(matrices, async ({ random, again: [againRows, againCols] }) => {
          const { rows, cols, batchBytes } = random;
          const grid = partOfGrid(gridOf(random), rows, cols);
          const expected = slow[layout]?.(grid);
          const whole = denseTable(random);
          const after = await changePlanLayout(await part(whole, rows, cols), layout);
          expect((await rowsOf(after, { batchBytes })).rows).toEqual(expected);
          const before = await part(await changePlanLayout(whole, layout), rows, cols);
          expect((await rowsOf(before, { batchBytes })).rows).toEqual(expected);
          expect(before.fields).toEqual(after.fields);
          if (layout === "columns") {
            const genes = taken(upTo(random.width), cols).map((col) => `gene ${col}`);
            expect(after.fields.map(({ name }) => name)).toEqual(genes);
          }
          expect(after.metadata.shape).toEqual([rows?.length ?? random.height, cols?.length ?? random.width]);
          const two = await part(after, againRows, againCols);
          expect((await rowsOf(two)).rows).toEqual(slow[layout]?.(partOfGrid(grid, againRows, againCols)));
        }),
        draws(100),
      );
    },
  );

  test("of which only some entries are selected are none that a part can be taken of", async () => {
    const table = await changePlanLayout(
      columnsPlan({ kind: "array", array: memoryArray(FLOAT32, [2, 2], fixed(4)) }),
      "coordinate",
    );
    await expect(part(selectEntries(table, { row: [0] }), [0], null)).rejects.toThrow(UnsupportedError);
  });
});

const fixed = (length: number) => ({ kind: "fixed", values: new Float32Array(length) }) as const;

/** The grid's non-zeros by major position; `mix` stores each list in falling order. */
function sparseTable(random: Random, order: "row" | "column", mix: boolean): TablePlan {
  const { height, width, chunk, wide } = random;
  const grid = gridOf(random);
  const lists = upTo(order === "row" ? height : width).map((major) => {
    const list = upTo(order === "row" ? width : height).flatMap((minor) => {
      const value = order === "row" ? grid[major][minor] : grid[minor][major];
      return value === 0 ? [] : [{ minor, value }];
    });
    return mix ? list.reverse() : list;
  });
  const ints = (values: number[]): NumberArray => (wide ? BigInt64Array.from(values, BigInt) : Int32Array.from(values));
  const entries = lists.flat();
  const arrays = {
    data: Float32Array.from(entries, ({ value }) => value),
    indices: ints(entries.map(({ minor }) => minor)),
    indptr: ints([0, ...lists.map((_, i) => lists.slice(0, i + 1).flat().length)]),
  };
  return {
    ...sparsePlan(sparse(order, [height, width], arrays, chunk)),
    metadata: { kind: order === "row" ? "csr_matrix" : "csc_matrix", shape: [height, width] },
  };
}

const byPlace = (entries: readonly Plain[][]) =>
  entries.toSorted((a, b) => Number(a[0]) - Number(b[0]) || Number(a[1]) - Number(b[1]));

describe.each(["row", "column"] as const)("rows and columns of a sparse matrix in order of its %ss", (order) => {
  /** The rows of `plan` in a layout, against the part's grid. */
  async function expectRows(
    plan: TablePlan,
    layout: Layout,
    grid: Grid,
    width: number,
    batchBytes: number,
    mix: boolean,
  ) {
    const { rows } = await rowsOf(await changePlanLayout(plan, layout), { batchBytes });
    switch (layout) {
      case "coordinate": {
        // The order of a part is the stored one of its major positions.
        const majors = rows.map((row) => Number(row[order === "row" ? 0 : 1]));
        expect(majors).toEqual(majors.toSorted((a, b) => a - b));
        expect(byPlace(rows)).toEqual(entriesOf(grid));
        return;
      }
      case "list": {
        const lists = order === "row" ? grid : upTo(width).map((col) => grid.map((row) => row[col]));
        const expected = lists.map((list) =>
          list.flatMap((value, index) => (value === 0 ? [] : [{ index, value: float(value) }])),
        );
        const found = rows.map(([list]) => {
          if (!Array.isArray(list)) throw new TypeError("lists were expected");
          return mix ? list.toSorted((a, b) => a.index - b.index) : list;
        });
        expect(found).toEqual(expected);
        return;
      }
      default:
        expect(rows).toEqual(grid.map((row) => [row.map(float)]));
    }
  }

  test.each(["coordinate", "list", "dense"] as const)("in layout %s, before and after the choice", async (layout) => {
    await fc.assert(
      fc.asyncProperty(matrices, fc.boolean(), async ({ random, again: [againRows, againCols] }, mix) => {
        const { rows, cols, batchBytes } = random;
        const whole = sparseTable(random, order, mix);
        const grid = partOfGrid(gridOf(random), rows, cols);
        const width = cols?.length ?? random.width;
        const one = await part(whole, rows, cols);
        await expectRows(one, layout, grid, width, batchBytes, mix);
        await expectRows(
          await part(await changePlanLayout(whole, layout), rows, cols),
          layout,
          grid,
          width,
          batchBytes,
          mix,
        );
        expect(one.metadata.shape).toEqual([rows?.length ?? random.height, width]);
        const two = await part(one, againRows, againCols);
        const smaller = partOfGrid(grid, againRows, againCols);
        await expectRows(two, layout, smaller, againCols?.length ?? width, batchBytes, mix);
      }),
      draws(100),
    );
  });

  test("that are chosen by `where` of a part keep their numbers", async () => {
    const whereOf = (size: number) =>
      fc.option(fc.array(fc.nat(Math.max(0, size - 1)), { maxLength: size && 9 }), { nil: undefined });
    const cases = matrices.chain(({ random }) =>
      fc.tuple(
        fc.constant(random),
        whereOf(random.rows?.length ?? random.height),
        whereOf(random.cols?.length ?? random.width),
      ),
    );
    await fc.assert(
      fc.asyncProperty(cases, async ([random, row, col]) => {
        const one = await part(sparseTable(random, order, true), random.rows, random.cols);
        const found = await rowsOf(selectEntries(one, { ...(row && { row }), ...(col && { col }) }));
        const entries = entriesOf(partOfGrid(gridOf(random), random.rows, random.cols));
        const isWanted = (positions: readonly number[] | undefined, at: Plain) =>
          positions?.includes(Number(at)) ?? true;
        expect(byPlace(found.rows)).toEqual(entries.filter(([r, c]) => isWanted(row, r) && isWanted(col, c)));
      }),
      draws(100),
    );
  });

  test("read the entries of the chosen major positions alone", async () => {
    const matrix = sparse(
      order,
      [4, 4],
      { data: Int8Array.of(1, 2, 3, 4), indices: Int8Array.of(0, 1, 2, 3), indptr: Int8Array.of(0, 1, 2, 3, 4) },
      1,
    );
    const [rows, cols] = order === "row" ? [[3, 1], null] : [null, [3, 1]];
    expect((await rowsOf(await part(sparsePlan(matrix), rows, cols))).rows).toEqual(
      order === "row"
        ? [
            [0, 3, 4],
            [1, 1, 2],
          ]
        : [
            [3, 0, 4],
            [1, 1, 2],
          ],
    );
    for (const { reads } of [matrix.data, matrix.indices]) {
      expect(reads.filter(([start, end]) => end > start).toSorted(([a], [b]) => a - b)).toEqual([
        [1, 2],
        [3, 4],
      ]);
    }
  });
});

describe("a part of a broken sparse matrix", () => {
  const values = { data: Int8Array.of(1, 2, 3), indices: Int8Array.of(0, 1, 0) };

  test.each([
    [[0, 2, 1, 3], [1]],
    [[1, 1, 2, 3], [0]],
    [[0, -1, 2, 3], [1]],
    [[-1, 0, 2, 3], [0]],
    [[0, 1, 2, 4], [2]],
    [
      [0, 9, 2, 3],
      [2, 0],
    ],
  ])("with pointers %j at %j is an error that names them", async (pointers, rows) => {
    for (const layout of ["coordinate", "list", "dense"] as const) {
      const plan = sparsePlan(sparse("row", [3, 2], { ...values, indptr: Int32Array.from(pointers) }), layout);
      const found = part(plan, rows, null);
      await expect(found).rejects.toThrow(InvalidDataError);
      await expect(found).rejects.toMatchObject({ element: "X/indptr" });
    }
  });

  test("with pointers beyond 2^53 is an error", async () => {
    const indptr = BigUint64Array.of(0n, 2n ** 64n - 1n);
    await expect(part(sparsePlan(sparse("row", [1, 2], { ...values, indptr })), [0], null)).rejects.toThrow(
      InvalidDataError,
    );
  });

  test("with floats as pointers is an error", async () => {
    const indptr = Float64Array.of(0, 3);
    await expect(part(sparsePlan(sparse("row", [1, 2], { ...values, indptr })), [0], null)).rejects.toThrow(
      /must be integers/,
    );
  });

  test.each(["coordinate", "list", "dense"] as const)(
    "with an index outside its axis is an error in layout %s",
    async (layout) => {
      const matrix = sparse("row", [1, 2], { ...values, indices: Int8Array.of(0, 2, 1), indptr: Int8Array.of(0, 3) });
      const whole = await changePlanLayout(sparsePlan(matrix), layout);
      for (const [rows, cols] of [
        [[0, 0], [1]],
        [null, [0]],
        [[0], null],
      ] as const) {
        const found = rowsIn(await part(whole, rows, cols), layout);
        await expect(found).rejects.toThrow(InvalidDataError);
        await expect(found).rejects.toMatchObject({ element: "X/indices" });
      }
    },
  );

  test("with too long a minor axis is an error that names the limit", async () => {
    const matrix = sparse("row", [1, 2 ** 33], { ...values, indptr: Int8Array.of(0, 3) });
    await expect(part(sparsePlan(matrix), null, [0])).rejects.toThrow(UnsupportedError);
    expect((await rowsOf(await part(sparsePlan(matrix), [0], null))).rows).toHaveLength(3);
  });
});
