import fc from "fast-check";
import { expect, test } from "vitest";
import { cutTasks } from "../src/cut-tasks.js";

const input = fc.record({
  rows: fc.nat(5000),
  entries: fc.dictionary(fc.constantFrom("X", "layers/counts"), fc.option(fc.nat(10 ** 9)), { maxKeys: 2 }),
  isDivisible: fc.boolean(),
});

test("tasks have each row of each input once, in order, and no more tasks than were asked for", () => {
  fc.assert(
    fc.property(fc.array(input, { minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 60 }), (inputs, count) => {
      const tasks = cutTasks(inputs, count);
      expect(tasks.length).toBeLessThanOrEqual(count);
      expect(tasks.every((pieces) => pieces.length > 0)).toBe(true);
      const pieces = tasks.flat();
      expect(pieces.map((piece) => piece.input)).toEqual(pieces.map((piece) => piece.input).sort((a, b) => a - b));
      for (const [i, { rows, isDivisible }] of inputs.entries()) {
        const own = pieces.filter((piece) => piece.input === i).map((piece) => piece.rows);
        expect(own.length === 1 || isDivisible).toBe(true);
        expect([own[0][0], own.at(-1)?.[1]]).toEqual([0, rows]);
        for (let k = 1; k < own.length; k++) expect(own[k][0]).toBe(own[k - 1][1]);
      }
    }),
  );
});

test("one large input becomes tasks of equal rows", () => {
  const tasks = cutTasks([{ rows: 1000, entries: { X: 10 ** 6 }, isDivisible: true }], 4);
  expect(tasks).toEqual([0, 250, 500, 750].map((row) => [{ input: 0, rows: [row, row + 250] }]));
});

test("an input that is read as a whole is one piece, however many tasks are asked for", () => {
  const whole = { rows: 1000, entries: { X: 10 ** 6 }, isDivisible: false };
  expect(cutTasks([whole, whole], 8)).toEqual([[{ input: 0, rows: [0, 1000] }], [{ input: 1, rows: [0, 1000] }]]);
});
