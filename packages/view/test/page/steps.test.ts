import { describe, expect, test } from "vitest";
import type { CellValues } from "../../page/src/data/cell-values.js";
import { evaluateSteps, type StepSource } from "../../page/src/selection/evaluate-steps.js";
import { countMask, maskBits } from "../../page/src/selection/mask-bits.js";
import { checkGenes, checkSteps, type SelectionStep } from "../../page/src/selection/selection-steps.js";
import { stepWords } from "../../page/src/selection/step-words.js";

/** Eight cells: types a, b, c, none; scores 0 to 7 of which one is missing; places on a line. */
const columns: Readonly<Record<string, CellValues>> = {
  type: { kind: "codes", codes: Uint8Array.of(0, 0, 1, 1, 2, 2, 255, 255), categories: ["a", "b", "c"] },
  score: { kind: "numbers", values: Float32Array.of(0, 1, 2, 3, 4, 5, 6, Number.NaN) },
};
const source: StepSource = {
  cells: 8,
  values: async (column) => {
    const found = columns[column];
    if (found === undefined) throw new RangeError(`no column ${column}`);
    return found;
  },
  coordinate: async (_, column) => (column === "value[0]" ? [0, 1, 2, 3, 4, 5, 6, 7] : [0, 0, 0, 0, 0, 0, 0, 0]),
  async *positions(filter) {
    yield filter === "even" ? BigInt64Array.of(0n, 2n) : Int32Array.of();
    yield filter === "even" ? BigInt64Array.of(4n, 6n) : Int32Array.of();
  },
};

const { signal } = new AbortController();
async function selected(...steps: SelectionStep[]): Promise<number[]> {
  const mask = await evaluateSteps(steps, source, null, signal);
  return Array.from(mask ?? new Uint8Array(8).fill(1)).flatMap((one, at) => (one === 1 ? [at] : []));
}

const values = (mode: "within" | "add" | "remove", ...wanted: (string | null)[]): SelectionStep => ({
  ...{ by: "values", mode, column: "type" },
  values: wanted,
});
const range = (mode: "within" | "add" | "remove", low: number, high: number): SelectionStep => ({
  ...{ by: "range", mode, column: "score" },
  range: [low, high],
});
const lasso: SelectionStep = {
  ...{ by: "lasso", mode: "within", table: "obsm/X_umap", columns: ["value[0]", "value[1]"] },
  polygon: [1.5, -1, 4.5, -1, 4.5, 1, 1.5, 1],
};

describe("steps", () => {
  test("no step selects all", async () => {
    expect(await evaluateSteps([], source, null, signal)).toBeNull();
  });

  test("each kind of step", async () => {
    expect(await selected(values("within", "b", null))).toEqual([2, 3, 6, 7]);
    expect(await selected(range("within", 2, 4))).toEqual([2, 3, 4]);
    expect(await selected(lasso)).toEqual([2, 3, 4]);
    expect(await selected({ by: "filter", mode: "within", filter: "even" })).toEqual([0, 2, 4, 6]);
    expect(await selected({ by: "filter", mode: "within", filter: "nothing" })).toEqual([]);
    expect(await selected({ by: "invert" })).toEqual([]);
  });

  test("joins in order: within, add, remove, invert", async () => {
    expect(await selected(values("within", "a"), values("add", "c"))).toEqual([0, 1, 4, 5]);
    expect(await selected(values("within", "a", "b"), range("within", 1, 2))).toEqual([1, 2]);
    expect(await selected(values("within", "a", "b"), range("remove", 1, 2))).toEqual([0, 3]);
    expect(await selected(values("within", "a"), { by: "invert" }, range("remove", 0, 3))).toEqual([4, 5, 6, 7]);
    expect(await selected(values("within", "a"), range("remove", 0, 0), values("add", "a"))).toEqual([0, 1]);
  });

  test("goes on from a mask, which stays as it is", async () => {
    const before = Uint8Array.of(1, 1, 1, 1, 0, 0, 0, 0);
    expect(await evaluateSteps([values("within", "b", "c")], source, before, signal)).toEqual(
      Uint8Array.of(0, 0, 1, 1, 0, 0, 0, 0),
    );
    expect(countMask(before)).toBe(4);
  });

  test("what a link cannot mean is an error in words", async () => {
    await expect(selected(values("within", "no such type"))).rejects.toThrow('type has no value "no such type"');
    const step: SelectionStep = { by: "range", mode: "within", column: "type", range: [0, 1] };
    await expect(selected(step)).rejects.toThrow("type has no numbers");
  });

  test("a cancelled evaluation ends", async () => {
    const cancelled = AbortSignal.abort(new Error("no longer needed"));
    await expect(evaluateSteps([lasso], source, null, cancelled)).rejects.toThrow("no longer needed");
  });
});

describe("the mask as bits", () => {
  test("the lowest bit first, by hand", () => {
    // Positions 0, 3 and 9: 0b00001001, 0b00000010.
    expect(maskBits(Uint8Array.of(1, 0, 0, 1, 0, 0, 0, 0, 0, 1))).toBe(Buffer.from([9, 2]).toString("base64"));
    expect(maskBits(new Uint8Array())).toBe("");
  });

  test("many positions, as Buffer writes them", () => {
    const mask = Uint8Array.from({ length: 1_000_003 }, (_, at) => (at % 7 === 0 || at % 11 === 3 ? 1 : 0));
    const bytes = Buffer.alloc(Math.ceil(mask.length / 8));
    mask.forEach((one, at) => {
      bytes[at >> 3] = (bytes[at >> 3] ?? 0) + one * 2 ** (at % 8);
    });
    expect(maskBits(mask) === bytes.toString("base64")).toBe(true);
  });
});

describe("steps of a link", () => {
  test("good ones stay as they are", () => {
    const steps = [lasso, values("add", "a", null), range("remove", -1, 2), { by: "invert" }];
    expect(checkSteps(JSON.parse(JSON.stringify(steps)))).toEqual(steps);
    expect(checkGenes([3, 1])).toEqual([3, 1]);
  });

  test.each([
    ["no list", { by: "invert" }],
    ["an unknown step", [{ by: "magic" }]],
    ["an unknown mode", [{ ...lasso, mode: "xor" }]],
    ["a corner without its other half", [{ ...lasso, polygon: [0, 0, 1, 1, 2, 2, 3] }]],
    ["two corners", [{ ...lasso, polygon: [0, 0, 1, 1] }]],
    ["too many corners", [{ ...lasso, polygon: new Array(802).fill(0) }]],
    ["text in a polygon", [{ ...lasso, polygon: [0, 0, 1, 1, 2, "2"] }]],
    ["more than a step has", [{ by: "invert", also: 1 }]],
  ])("%s is refused", (_, steps) => {
    expect(checkSteps(steps)).toBeNull();
  });

  test.each([[[-1]], [[0.5]], ["all"], [{}]])("genes %j are refused", (genes) => {
    expect(checkGenes(genes)).toBeNull();
  });
});

test("steps in words", () => {
  expect(stepWords(lasso)).toBe("Keep lasso on X_umap (1, 2)");
  expect(stepWords(values("remove", "a", null))).toBe("Remove type: a, missing");
  expect(stepWords(values("add", "a", "b", "c", "d", "e"))).toBe("Add type: a, b, c, 2 more");
  expect(stepWords(range("within", 0.123456, 20_000_000))).toBe("Keep score from 0.1235 to 2.00e+7");
});
