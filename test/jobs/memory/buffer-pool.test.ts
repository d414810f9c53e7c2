import fc from "fast-check";
import { expect, test } from "vitest";
import { BufferPool } from "../../../src/jobs/memory/buffer-pool.js";

const MIB = 2 ** 20;

test("memory that came back is taken again, the last first; far too large is none", () => {
  const pool = new BufferPool({ most: 8 * MIB });
  const [a, b] = [pool.take(MIB), pool.take(MIB)];
  expect([a.length, b.length]).toEqual([MIB, MIB]);
  pool.giveBack(a.buffer);
  pool.giveBack(b.buffer);
  expect(pool.take(MIB / 4).buffer).not.toBe(b.buffer);
  // A few bytes more fit, too.
  expect(pool.take(MIB + 1000).buffer).toBe(b.buffer);
  expect(pool.spare(MIB, 3)).toEqual([a.buffer]);
  expect(pool.bytes).toBe(0);
});

test("no block is in two hands, and no more lies here than is allowed", () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant("take" as const), bytes: fc.integer({ min: 1, max: 2 * MIB }) }),
    fc.record({ kind: fc.constant("spare" as const), bytes: fc.integer({ min: 1, max: 2 * MIB }) }),
    fc.record({ kind: fc.constant("give" as const), bytes: fc.nat(100) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const freed = new Set<ArrayBufferLike>();
      const pool = new BufferPool({ most: 4 * MIB, least: MIB / 16, free: ({ buffer }) => void freed.add(buffer) });
      const held: ArrayBuffer[] = [];
      const hold = (block: ArrayBuffer, bytes: number) => {
        expect(held).not.toContain(block);
        expect(freed).not.toContain(block);
        expect(block.byteLength).toBeGreaterThanOrEqual(bytes);
        held.push(block);
      };
      for (const { kind, bytes } of steps) {
        if (kind === "take") {
          const taken = pool.take(bytes);
          expect(taken.length).toBe(bytes);
          hold(taken.buffer, bytes);
        } else if (kind === "spare") for (const block of pool.spare(bytes, 2)) hold(block, bytes);
        else if (held.length > 0) pool.giveBack(held.splice(bytes % held.length, 1)[0]);
        expect(pool.bytes).toBeLessThanOrEqual(4 * MIB);
      }
    }),
  );
});
