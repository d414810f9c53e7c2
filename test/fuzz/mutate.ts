/** Changes to bytes, such as damage or malice would make. All follow from `Random` alone. */

import { aimedChange } from "./aimed.js";
import { type Mutation, overwrite, type Stretch, splice } from "./change.js";
import type { Structure } from "./fields.js";
import type { Random } from "./random.js";
import { documentChange } from "./zarr-document.js";

/** What is known of the bytes, so that changes can be aimed. */
export interface Target {
  readonly bytes: Uint8Array;
  /** What a reader of the undamaged bytes asks for, as often as it does. */
  readonly reads: readonly Stretch[];
  /** Values that stand for places in the bytes. */
  readonly addresses: readonly number[];
  /** What the bytes mean to their format. */
  readonly structure: Structure;
}

const HOSTILE = [
  0n,
  1n,
  2n,
  0x7fn,
  0x80n,
  0xffn,
  0x7fffn,
  0x8000n,
  0xffffn,
  2n ** 31n - 1n,
  2n ** 31n,
  2n ** 32n - 1n,
  2n ** 32n,
  2n ** 53n - 1n,
  2n ** 53n,
  2n ** 63n - 1n,
  2n ** 63n,
  2n ** 64n - 2n,
  2n ** 64n - 1n,
];

const HOSTILE_TEXT = [
  "0",
  "-1",
  "1",
  "255",
  "2147483647",
  "2147483648",
  "4294967296",
  "9007199254740993",
  "18446744073709551616",
  "1e308",
  "1e999",
  "0.5",
  "null",
  "true",
  '""',
  '"a"',
  '"NaN"',
  "[]",
  "[0]",
  "{}",
  "[[[[]]]]",
];

export function mutate(target: Target, random: Random): Mutation {
  const isText = target.bytes[0] === 0x7b;
  const steps = random.chance(0.7) ? 1 : random.between(2, 5);
  let bytes = target.bytes;
  let inPlace = true;
  let wholeStructures = false;
  const changed: Stretch[] = [];
  const descriptions: string[] = [];
  for (let i = 0; i < steps && bytes.length > 0; i++) {
    const change = oneChange({ ...target, bytes }, isText, random);
    bytes = change.bytes;
    inPlace &&= change.inPlace;
    wholeStructures ||= change.wholeStructures === true;
    changed.push(...change.changed);
    descriptions.push(change.description);
  }
  return { bytes, changed, inPlace, wholeStructures, description: descriptions.join("; ") };
}

/** Half of all changes know the format. */
function oneChange(target: Target, isText: boolean, random: Random): Mutation {
  const { bytes, structure } = target;
  if (random.chance(0.5)) {
    const aimed = isText ? documentChange(bytes, random) : aimedChange(bytes, structure, random);
    if (aimed !== null) return aimed;
  }
  return isText && random.chance(0.7) ? textChange(bytes, random) : byteChange(target, random);
}

function byteChange(target: Target, random: Random): Mutation {
  const { bytes } = target;
  const at = position(target, random);
  switch (random.below(12)) {
    case 0:
      return overwrite(bytes, at, [bytes[at] ^ (1 << random.below(8))]);
    case 1:
      return overwrite(bytes, at, [random.below(256)]);
    case 2:
      return overwrite(bytes, at, randomBytes(random, random.between(1, 16)));
    case 3:
      return overwrite(bytes, at, new Array(random.between(1, 64)).fill(random.pick([0, 0xff])));
    case 4:
    case 5:
      return overwrite(bytes, at, littleEndian(random.pick(HOSTILE), random.pick([1, 2, 4, 8])));
    case 6:
      return overwrite(bytes, aligned(at), littleEndian(random.pick(HOSTILE), 8));
    case 7: {
      const address = target.addresses.length > 0 ? random.pick(target.addresses) : random.below(bytes.length);
      return overwrite(bytes, random.chance(0.5) ? aligned(at) : at, littleEndian(BigInt(address), 8));
    }
    case 8: {
      // Another field of the same bytes, or a little more or less than is there.
      const from = position(target, random);
      const width = random.pick([1, 2, 4, 8, 32]);
      if (random.chance(0.5)) return overwrite(bytes, at, bytes.subarray(from, from + width));
      return overwrite(bytes, at, [bytes[at] + random.pick([-2, -1, 1, 2])]);
    }
    case 9: {
      const length = Math.min(random.pick([1, 2, 4, 8, random.between(1, 64)]), bytes.length - at);
      if (random.chance(0.5)) return splice(bytes, at, length, []);
      return splice(bytes, at, 0, random.chance(0.5) ? randomBytes(random, length) : bytes.slice(at, at + length));
    }
    case 10: {
      const end = random.chance(0.5) ? at : bytes.length - random.below(Math.min(64, bytes.length));
      return splice(bytes, end, bytes.length - end, []);
    }
    default:
      return swap(bytes, at, position(target, random), random.pick([8, 16, 64, 512]));
  }
}

/** Near the begin of what a reader asks for, anywhere in it, or anywhere. */
function position({ bytes, reads }: Target, random: Random): number {
  const { start, end } = reads.length > 0 && random.chance(0.9) ? random.pick(reads) : { start: 0, end: bytes.length };
  const length = random.chance(0.6) ? Math.min(64, end - start) : end - start;
  return Math.min(bytes.length - 1, start + random.below(Math.max(1, length)));
}

function aligned(at: number): number {
  return at - (at % 8);
}

function littleEndian(value: bigint, width: number): number[] {
  return Array.from({ length: width }, (_, i) => Number((value >> BigInt(8 * i)) & 0xffn));
}

function randomBytes(random: Random, count: number): number[] {
  return Array.from({ length: count }, () => random.below(256));
}

function swap(bytes: Uint8Array, a: number, b: number, wanted: number): Mutation {
  const length = Math.min(wanted, bytes.length - Math.max(a, b), Math.abs(a - b));
  const copy = bytes.slice();
  copy.set(bytes.subarray(a, a + length), b);
  copy.set(bytes.subarray(b, b + length), a);
  const changed = [a, b].map((start) => ({ start, end: start + length }));
  return { bytes: copy, changed, inPlace: true, description: `${length} bytes at ${a} and ${b} are swapped` };
}

/** Numbers, words and lists of a JSON document become others. */
function textChange(bytes: Uint8Array, random: Random): Mutation {
  const text = Buffer.from(bytes).toString("latin1");
  const tokens = [...text.matchAll(/-?[0-9][0-9.eE+-]*|true|false|null|"(?:[^"\\]|\\.)*"|\[[^[\]{}]*\]/g)];
  if (tokens.length === 0) return overwrite(bytes, random.below(bytes.length), [random.below(128)]);
  const token = random.pick(tokens);
  const other = random.chance(0.7) ? random.pick(HOSTILE_TEXT) : random.pick(tokens)[0];
  return splice(bytes, token.index, token[0].length, Buffer.from(other, "latin1"));
}
