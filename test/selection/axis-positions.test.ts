import { vectorFromArray } from "apache-arrow";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InvalidInputError, NotFoundError, UnsupportedError } from "../../src/model/errors.js";
import { type AxisSelector, slice, sql, where } from "../../src/model/selection.js";
import { AxisNameCache, NamesOfAxis } from "../../src/selection/axis-names.js";
import { resolveAxisPositions, type SelectableAxis } from "../../src/selection/axis-positions.js";

const GENES = ["CD3D", "CD3E", "MS4A1", "NKG7", "LYZ"];

/** An axis with these names; conditions hold at no position. */
const axisOf = (names: readonly string[] | null, length = names?.length ?? 0): SelectableAxis => ({
  called: "var",
  length,
  names: async () => (names === null ? null : new NamesOfAxis(names)),
  columnWith: async () => null,
  inOtherCase: async () => null,
  matching: async () => new Int32Array(0),
});

const positions = async (selector: AxisSelector, axis = axisOf(GENES)) =>
  Array.from(await resolveAxisPositions(selector, axis));

describe("names", () => {
  test("have the order in which they are asked for, with repeats", async () => {
    expect(await positions(["LYZ", "CD3D", "LYZ"])).toEqual([4, 0, 4]);
    expect(await positions(vectorFromArray(["NKG7", "MS4A1"]))).toEqual([3, 2]);
  });

  test("that an axis does not have are listed, with the nearest one", async () => {
    await expect(positions(["CD3D", "CD3", "nkg7"])).rejects.toThrow(NotFoundError);
    await expect(positions(["CD3D", "CD3", "nkg7"])).rejects.toMatchObject({
      problem: 'var has no "CD3" (did you mean "CD3D"?), "nkg7" (did you mean "NKG7"?)',
    });
  });

  test("that another column has are said to stand there", async () => {
    const columnWith = async (names: readonly string[]) => (names.every((name) => /^ENSG/.test(name)) ? "ids" : null);
    const axis = { ...axisOf(GENES), columnWith };
    await expect(positions(["ENSG1", "LYZ"], axis)).rejects.toThrow(/^var has no "ENSG1"; its column ids has it$/);
    await expect(positions(["ENSG1", "ENSG2"], axis)).rejects.toThrow(
      /has no "ENSG1", "ENSG2"; its column ids has them$/,
    );
    await expect(positions(["ENSG1", "CD3"], axis)).rejects.toThrow(
      /^var has no "ENSG1", "CD3" \(did you mean "CD3D"\?\); its column ids has "ENSG1"$/,
    );
  });

  test("that are like no name get no hint", async () => {
    await expect(positions(["ACTB"])).rejects.toThrow(/^var has no "ACTB"$/);
  });

  test("are found first by a search, later by a map, with one answer", () => {
    const name = fc.constantFrom("a", "b", "c", "d", "");
    fc.assert(
      fc.property(fc.array(name), fc.array(name, { minLength: 20, maxLength: 40 }), (all, asked) => {
        const names = new NamesOfAxis(all);
        for (const one of asked) {
          expect(names.positionOf(one)).toBe(all.indexOf(one));
          expect(names.isRepeated(one)).toBe(all.filter((other) => other === one).length > 1);
        }
      }),
    );
  });

  test("are read once, as long as they are not too many", async () => {
    const known = new AxisNameCache();
    const reads: string[] = [];
    const ask = (axis: string, count: number) =>
      known.of(axis, undefined, async () => {
        reads.push(axis);
        return Array.from({ length: count }, (_, i) => `${i % 5}`);
      });
    for (let i = 0; i < 2; i++) {
      expect((await ask("obs", 7))?.isRepeated("1")).toBe(true);
      expect((await ask("var", 2 ** 20))?.positionOf("3")).toBe(3);
    }
    expect(reads).toEqual(["obs", "var", "var"]);
    expect(await known.of("obs", "symbol", async () => null)).toBe(null);
  });

  test("above a few are counted", async () => {
    const missing = Array.from({ length: 7 }, (_, i) => `none ${i}`);
    await expect(positions(missing)).rejects.toThrow(/"none 0".*"none 4", and 2 more$/);
  });

  test("are not compared with all of a million", async () => {
    const names = Array.from({ length: 100_000 }, (_, i) => `gene ${i}`);
    await expect(positions(["gone"], axisOf(names))).rejects.toMatchObject({ problem: 'var has no "gone"' });
  });

  test("that several positions have are an error where they choose, else not", async () => {
    const axis = axisOf(["a", "b", "a", "a"]);
    expect(await positions(["b"], axis)).toEqual([1]);
    await expect(positions(["b", "a"], axis)).rejects.toMatchObject({
      tag: "InvalidInputError",
      problem: 'the name "a" stands 3 times in var: choose by positions',
    });
  });

  test("of an axis that has none are an error", async () => {
    await expect(positions(["a"], axisOf(null, 3))).rejects.toThrow("var has no names, only positions");
  });
});

describe("positions", () => {
  test("have the order in which they are asked for, with repeats, in arrays of every type", async () => {
    const asked = [4, 0, 4, 1];
    const arrays: AxisSelector[] = [
      asked,
      ...[Int8Array, Uint8Array, Int16Array, Uint16Array, Int32Array, Uint32Array].map((Type) => Type.from(asked)),
      vectorFromArray(Int32Array.from(asked)),
      vectorFromArray(BigInt64Array.from(asked, BigInt)),
    ];
    for (const array of arrays) expect(await positions(array)).toEqual(asked);
  });

  test("none of them is an empty part", async () => {
    expect(await positions([])).toEqual([]);
    expect(await positions(new Uint8Array(0))).toEqual([]);
    expect(await positions([], axisOf(null, 0))).toEqual([]);
  });

  test("the caller's array is not kept", async () => {
    const asked = Int32Array.of(1, 2);
    const found = await resolveAxisPositions(asked, axisOf(GENES));
    asked[0] = 4;
    expect(Array.from(found)).toEqual([1, 2]);
  });

  test.each([
    [[0, 5]],
    [[-1]],
    [[1.5]],
    [[Number.NaN]],
    [[2 ** 32]],
    [Int8Array.of(-1)],
    [Uint32Array.of(2 ** 32 - 1)],
  ])("%j outside the axis are an error", async (asked) => {
    await expect(positions(asked)).rejects.toThrow(InvalidInputError);
    await expect(positions(asked)).rejects.toThrow(/var -?[\d.NaN]+ was asked for, there are 0 … 4/);
  });

  test("of an axis of more than 2^31 - 1 positions are refused", async () => {
    await expect(positions([0], axisOf(null, 2 ** 31))).rejects.toThrow(UnsupportedError);
  });
});

describe("masks", () => {
  test("take the positions where they are true", async () => {
    const mask = fc.array(fc.boolean(), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(mask, async (values) => {
        const expected = values.flatMap((value, i) => (value ? [i] : []));
        expect(await positions(values, axisOf(null, values.length))).toEqual(expected);
        expect(await positions(vectorFromArray(values), axisOf(null, values.length))).toEqual(expected);
      }),
    );
  });

  test.each([[[true]], [[true, false, true, false, true, false]]])(
    "%j of another length are an error",
    async (mask) => {
      await expect(positions(mask)).rejects.toMatchObject({
        tag: "InvalidInputError",
        problem: `a mask of ${mask.length} values for var, which has 5`,
      });
    },
  );
});

describe("ranges", () => {
  test.each<[number, number | undefined, number[]]>([
    [1, 3, [1, 2]],
    [3, undefined, [3, 4]],
    [3, 100, [3, 4]],
    [5, 9, []],
    [7, 9, []],
    [2, 2, []],
    [0, Number.POSITIVE_INFINITY, [0, 1, 2, 3, 4]],
  ])("%d to %d", async (start, end, expected) => {
    expect(await positions(slice(start, end))).toEqual(expected);
  });

  test.each([
    [-1, 3, "start and end are whole numbers from 0 on"],
    [3, 2, "the end lies before the start"],
    [0.5, 2, "start and end are whole numbers from 0 on"],
    [0, Number.NaN, "start and end are whole numbers from 0 on"],
  ])("%d to %d are none", async (start, end, problem) => {
    await expect(positions(slice(start, end))).rejects.toThrow(`var ${start} to ${end} is no range: ${problem}`);
  });
});

describe("what is neither", () => {
  test.each<[string, unknown]>([
    ["one name", "CD3D"],
    ["an object of another form", { positions: [1] }],
    ["nothing", null],
    ["names and positions", ["CD3D", 1]],
    ["positions and booleans", [1, true]],
    ["a missing name", vectorFromArray(["CD3D", null])],
    ["a missing position", vectorFromArray([1, null])],
  ])("%s", async (_, given) => {
    // JavaScript has no types that keep such values away.
    await expect(positions(given as AxisSelector)).rejects.toMatchObject({
      tag: "InvalidInputError",
      problem:
        "var is chosen by a list of names, of positions, or of one boolean for each position, by slice(), sql() or where()",
    });
  });

  test("conditions go to the axis", async () => {
    const asked: unknown[] = [];
    const axis: SelectableAxis = {
      ...axisOf(GENES),
      matching: async (predicate) => {
        asked.push(predicate);
        return Int32Array.of(3);
      },
    };
    expect(await positions(sql`n > ${1} and name = ${"it's"} and x < ${Number.NaN}`, axis)).toEqual([3]);
    const held = where(["n"], (n) => Number(n) > 1);
    expect(await positions(held, axis)).toEqual([3]);
    expect(asked).toEqual([{ kind: "sql", text: "n > 1 and name = 'it''s' and x < 'NaN'::double" }, held]);
  });
});
