import fc from "fast-check";
import { expect, test } from "vitest";
import { TextBuilder } from "../../../src/kernels/text/text-builder.js";

const view = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

test("values stand behind one another, however much memory was foreseen", () => {
  const value = fc.option(fc.uint8Array({ min: 1, maxLength: 30 }));
  fc.assert(
    fc.property(fc.array(value, { maxLength: 30 }), fc.nat(400), (values, foreseen) => {
      const builder = new TextBuilder(values.length, foreseen);
      for (const one of values) {
        if (one === null) builder.addEmpty();
        else builder.add(view(one), 0, one.length);
      }
      const { offsets, bytes } = builder.finish();
      expect(offsets.length).toBe(values.length + 1);
      expect(values.map((_, i) => [...bytes.subarray(offsets[i], offsets[i + 1])])).toEqual(
        values.map((one) => [...(one ?? [])]),
      );
      // Nothing else hangs on the memory, so that it can be moved to another thread.
      expect(bytes.buffer.byteLength).toBe(offsets[values.length]);
    }),
  );
});

test("a value ends at its NUL", () => {
  const builder = new TextBuilder(3, 12);
  for (const text of ["ab\0c", "\0abc", "abcd"]) builder.add(view(new TextEncoder().encode(text)), 0, 4);
  const { offsets, bytes } = builder.finish();
  expect([...offsets]).toEqual([0, 2, 2, 6]);
  expect(new TextDecoder().decode(bytes)).toBe("ababcd");
});

test("more than 32-bit offsets reach is refused before memory is made for it", () => {
  expect(() => new TextBuilder(1, 2 ** 31)).toThrow(/2147483648 bytes .* at most 2147483647/);
  const builder = new TextBuilder(2, 0);
  builder.add(view(Uint8Array.of(65)), 0, 1);
  expect(() => builder.add(view(Uint8Array.of(65)), 0, 2 ** 31 - 1)).toThrow(/2147483648 bytes .* at most 2147483647/);
});
