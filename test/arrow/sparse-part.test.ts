import fc from "fast-check";
import { expect, test } from "vitest";
import type { PrimitiveColumn } from "../../src/arrow/column.js";
import { selectListEntries } from "../../src/arrow/sparse-part.js";
import { INT32 } from "../../src/arrow/type.js";
import { createMinorMap } from "../../src/kernels/sparse/minor-map.js";

const STORED = 40;
const lists = fc.array(fc.array(fc.nat(STORED - 1), { maxLength: 30 }), { maxLength: 12 });

/** Few or most of the positions, in any order, each once or several times. */
const chosen = fc.oneof(
  fc.uniqueArray(fc.nat(STORED - 1), { maxLength: 5 }),
  fc.uniqueArray(fc.nat(STORED - 1), { minLength: 25, maxLength: STORED }),
  fc.array(fc.nat(STORED - 1), { maxLength: 60 }),
);

test("lists keep the entries at few, most and repeated positions, sorted by the new positions", () => {
  fc.assert(
    fc.property(lists, chosen, fc.nat(1000), (all, positions, base) => {
      const stored = all.flat();
      const ends = all.map((_, i) => base + all.slice(0, i + 1).flat().length);
      const index: PrimitiveColumn = {
        layout: "primitive",
        type: INT32,
        length: stored.length,
        validity: null,
        values: Int32Array.from(stored),
      };
      const value: PrimitiveColumn = { ...index, values: Int32Array.from(stored, (_, i) => 2 * i) };
      const map = createMinorMap(positions, STORED);
      const found = selectListEntries(map, Float64Array.of(base, ...ends), index, value);

      let at = 0;
      const wanted = all.map((list) => {
        const entries = list.map((position) => ({ position, value: 2 * at++ }));
        const moved = entries.flatMap((entry) =>
          positions.flatMap((position, place) => (position === entry.position ? [{ place, value: entry.value }] : [])),
        );
        // Where new positions rise with the stored ones, entries keep their order.
        return map.rises ? moved : moved.toSorted((a, b) => a.place - b.place);
      });
      expect(listsOf(found)).toEqual(wanted);
    }),
  );
});

function listsOf({ offsets, child, length }: ReturnType<typeof selectListEntries>) {
  if (child.layout !== "struct") throw new TypeError("entries are structs");
  const [index, value] = child.children;
  if (index.layout !== "primitive" || value.layout !== "primitive") throw new TypeError("numbers expected");
  const entries = Array.from({ length: child.length }, (_, i) => ({ place: index.values[i], value: value.values[i] }));
  return Array.from({ length }, (_, i) => entries.slice(offsets[i], offsets[i + 1]));
}
