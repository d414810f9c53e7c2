import fc from "fast-check";
import { expect, test } from "vitest";
import { computeNameHash, NameTable } from "../../../src/kernels/text/name-table.js";

const bytes = (name: string) => new TextEncoder().encode(name);

test("names are numbered as they first appear, whatever their hashes", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 4 }), { maxLength: 600 }), fc.boolean(), (names, collide) => {
      const table = new NameTable();
      const numbers = new Map<string, number>();
      for (const name of names) {
        const all = bytes(`(${name})`);
        const [from, to] = [1, all.length - 1];
        const hash = collide ? 7 : computeNameHash(all, from, to);
        const found = table.find(all, from, to, hash);
        expect(found).toBe(numbers.get(name) ?? -1);
        if (found >= 0) continue;
        numbers.set(name, table.add(all, from, to, hash));
      }
      expect([...numbers.values()]).toEqual(Array.from({ length: numbers.size }, (_, i) => i));
      expect(table.count).toBe(numbers.size);
      const { offsets, bytes: text } = table.values();
      const decoded = [...numbers.keys()].map((_, i) =>
        new TextDecoder("utf-8", { ignoreBOM: true }).decode(text.subarray(offsets[i], offsets[i + 1])),
      );
      expect(decoded).toEqual(
        [...numbers.keys()].map((name) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes(name))),
      );
    }),
    { numRuns: 60 },
  );
});
