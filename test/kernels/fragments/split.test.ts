import fc from "fast-check";
import { expect, test } from "vitest";
import { groupFragments } from "../../../src/kernels/fragments/split.js";
import { groupMap } from "../../../src/kernels/sparse/split-lists.js";

test("fragments of a group are those of its cells, in their order", () => {
  const drawn = fc.record({
    groupOf: fc.array(fc.nat(4), { minLength: 1, maxLength: 12 }),
    fragments: fc.array(fc.tuple(fc.nat(9), fc.integer({ min: 0, max: 2 ** 32 - 1 }), fc.nat(1000)), { maxLength: 60 }),
  });
  fc.assert(
    fc.property(drawn, ({ groupOf, fragments }) => {
      const cells = [0, 1, 2, 3, 4].map((group) => groupOf.flatMap((own, cell) => (own === group ? [cell] : [])));
      const ends = Int32Array.from(cells, (_, group) => cells.slice(0, group + 1).flat().length);
      const map = groupMap(Int32Array.from(cells.flat()), ends, groupOf.length);
      const rows = fragments.map(([chr, start, cell]) => [chr, start, cell % groupOf.length] as const);
      const fields = [0, 1, 2].map((field) => Uint32Array.from(rows, (row) => row[field]));
      const { starts, words } = groupFragments(fields, 2, map);
      for (const [group, own] of cells.entries()) {
        const expected = rows.filter((row) => own.includes(row[2]));
        const columns = [0, 1, 2].map((field) =>
          expected.map((row) => (field === 2 ? own.indexOf(row[2]) : row[field])),
        );
        expect([...words.subarray(3 * starts[group], 3 * starts[group + 1])]).toEqual(columns.flat());
      }
    }),
  );
});
