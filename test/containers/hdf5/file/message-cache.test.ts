import fc from "fast-check";
import { expect, test } from "vitest";
import { MessageCache } from "../../../../src/containers/hdf5/file/hdf5-file.js";

test("gives what was made of the same bytes, and of no others", () => {
  const bytes = fc.uint8Array({ minLength: 0, maxLength: 3 });
  fc.assert(
    fc.property(fc.array(bytes, { maxLength: 100 }), (all) => {
      const repeated = new MessageCache<string>();
      for (const one of all) {
        const found = repeated.find(one);
        if (found === undefined) expect(repeated.add(one, one.join())).toBe(one.join());
        else expect(found).toBe(one.join());
        expect(repeated.find(one)).toBe(one.join());
      }
    }),
  );
});

test("keeps a copy of the bytes", () => {
  const repeated = new MessageCache<number>();
  const bytes = Uint8Array.of(1, 2);
  repeated.add(bytes, 7);
  bytes[0] = 9;
  expect(repeated.find(bytes)).toBeUndefined();
  expect(repeated.find(Uint8Array.of(1, 2))).toBe(7);
});
