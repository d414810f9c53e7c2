import fc from "fast-check";
import { expect, test } from "vitest";
import { transposeRows } from "../../../src/kernels/dense/transpose-rows.js";
import type { NumberArray } from "../../../src/model/stored.js";

type Per = 1 | 2;

interface Rows {
  readonly rowLength: number;
  /** How many rows each call takes. */
  readonly parts: readonly number[];
  /** Rows before the first one that is taken, each time. */
  readonly before: number;
  /** Places in a line that nothing is put in: before and after. */
  readonly around: readonly [number, number];
  readonly lines: readonly number[] | null;
  readonly per: Per;
  /** Bytes of an array before its first value, in values. */
  readonly offset: number;
}

const rowsOf: fc.Arbitrary<Rows> = fc
  .record({
    rowLength: fc.integer({ min: 0, max: 70 }),
    parts: fc.array(fc.integer({ min: 0, max: 70 }), { maxLength: 4 }),
    before: fc.nat({ max: 3 }),
    around: fc.tuple(fc.nat({ max: 3 }), fc.nat({ max: 3 })),
    per: fc.constantFrom<Per>(1, 2),
    offset: fc.nat({ max: 2 }),
  })
  .chain((rest) => {
    const every = Array.from({ length: rest.rowLength }, (_, j) => j);
    const shuffled = fc.shuffledSubarray(every, { minLength: rest.rowLength });
    return fc.option(shuffled).map((lines) => ({ ...rest, lines }));
  });

const KINDS: readonly ((buffer: ArrayBuffer, byteOffset: number, length: number) => NumberArray)[] = [
  (...of) => new Int8Array(...of),
  (...of) => new Uint8Array(...of),
  (...of) => new Int16Array(...of),
  (...of) => new Uint16Array(...of),
  (...of) => new Int32Array(...of),
  (...of) => new Uint32Array(...of),
  (...of) => new BigInt64Array(...of),
  (...of) => new BigUint64Array(...of),
  (...of) => new Float32Array(...of),
  (...of) => new Float64Array(...of),
];

function bytesOf({ buffer, byteOffset, byteLength }: NumberArray): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** An array whose bytes follow a rule, within a buffer that has more. */
function filled(make: (typeof KINDS)[number], values: number, offset: number, seed: number): NumberArray {
  const width = make(new ArrayBuffer(0), 0, 0).BYTES_PER_ELEMENT;
  const buffer = new ArrayBuffer((values + offset + 1) * width);
  const bytes = new Uint8Array(buffer);
  let state = seed;
  for (let i = 0; i < bytes.length; i++) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    bytes[i] = state >>> 24;
  }
  return make(buffer, offset * width, values);
}

/** One byte at a time. */
function slowly(source: Uint8Array, target: Uint8Array, width: number, rows: Rows, at: number, count: number): void {
  const { rowLength, before, lines } = rows;
  for (let i = 0; i < count; i++) {
    for (let j = 0; j < rowLength; j++) {
      const from = ((before + i) * rowLength + j) * width;
      const to = ((lines === null ? j : lines[j]) * lineLength(rows) + at + i) * width;
      for (let k = 0; k < width; k++) target[to + k] = source[from + k];
    }
  }
}

function lineLength({ parts, around }: Rows): number {
  return parts.reduce((a, b) => a + b, around[0] + around[1]);
}

test("rows in parts are put where one byte after another would be, and nothing else changes", () => {
  fc.assert(
    fc.property(rowsOf, fc.constantFrom(...KINDS), fc.nat(), (rows, make, seed) => {
      const { rowLength, parts, before, around, lines, per, offset } = rows;
      const target = filled(make, rowLength * lineLength(rows) * per, offset, seed);
      const expected = bytesOf(target).slice();
      const wholeBuffer = new Uint8Array(target.buffer);
      const outside = (): number[][] => [
        [...wholeBuffer.subarray(0, target.byteOffset)],
        [...wholeBuffer.subarray(target.byteOffset + target.byteLength)],
      ];
      const untouched = outside();
      const block = {
        rowLength,
        lineLength: lineLength(rows),
        lines: lines === null ? null : Int32Array.from(lines),
        per,
      };
      let at = around[0];
      for (const [i, count] of parts.entries()) {
        const source = filled(make, (before + count) * rowLength * per, offset, seed + i + 1);
        transposeRows(source, before, count, target, at, block);
        slowly(bytesOf(source), expected, source.BYTES_PER_ELEMENT * per, rows, at, count);
        at += count;
      }
      expect(Buffer.compare(bytesOf(target), expected)).toBe(0);
      expect(outside()).toEqual(untouched);
    }),
    { numRuns: 300 },
  );
});

test("the bits of signalling NaN stay", () => {
  const singles = new Uint32Array([0x7f800001, 0xff812345, 0x7fc00000, 1, 2, 3]);
  const turnedSingles = new Uint32Array(6);
  const block = { rowLength: 3, lineLength: 2, lines: null, per: 1 } as const;
  transposeRows(new Float32Array(singles.buffer), 0, 2, new Float32Array(turnedSingles.buffer), 0, block);
  expect([...turnedSingles]).toEqual([0x7f800001, 1, 0xff812345, 2, 0x7fc00000, 3]);
  const doubles = new BigUint64Array([0x7ff0000000000001n, 0xfff4deadbeef0001n, 0x7ff8000000000000n, 1n]);
  const turnedDoubles = new BigUint64Array(4);
  const square = { rowLength: 2, lineLength: 2, lines: Int32Array.of(1, 0), per: 1 } as const;
  transposeRows(new Float64Array(doubles.buffer), 0, 2, new Float64Array(turnedDoubles.buffer), 0, square);
  expect([...turnedDoubles]).toEqual([0xfff4deadbeef0001n, 1n, 0x7ff0000000000001n, 0x7ff8000000000000n]);
});
