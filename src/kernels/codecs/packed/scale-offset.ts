/**
 * HDF5's filter 6: numbers without what all numbers of a chunk have in common. An integer is stored as its distance from
 * the least one, a float as that distance in units of a power of ten, in as many bits as the largest distance needs.
 */

import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import { swapBytes } from "../../values/byte-order.js";
import type { OutputSize } from "../bounds/byte-codec.js";
import { checkBits, memoryFor, PackedBits } from "./packed-bits.js";

/** The bits of a number (u32), the size of the least value (u8), the least value, and zeros. */
const HEADER_BYTES = 21;

/** The least value begins here, and has this many bytes at most. */
const LEAST_AT = 5;
const LEAST_BYTES = 8;

/** The number of values that are unpacked before they are scaled. */
const BLOCK = 1024;

/** How the values of a dataset are stored. */
interface Settings {
  readonly isFloat: boolean;
  /** For floats, the power of ten by which they were multiplied; for integers, their bits where these are fixed. */
  readonly factor: number;
  readonly count: number;
  readonly valueBytes: number;
  readonly isLittle: boolean;
  /** The lower and the upper half of the fill value; null where none is defined. */
  readonly fill: readonly [low: number, high: number] | null;
}

/** What undoes the packing of a chunk. Numbers of 64 bits are given as halves. */
interface Scale {
  readonly least: DataView;
  readonly factor: number;
  /** The number that stands for the fill value, in halves; -1, which no half is, where nothing stands for it. */
  readonly fillCode: readonly [low: number, high: number];
  readonly fill: readonly [low: number, high: number];
}

/** The numbers of a block, and the values that they become. */
interface Block {
  readonly low: Uint32Array;
  readonly high: Uint32Array;
  readonly values: ArrayBuffer;
}

/** Makes values of the first `count` numbers of a block. */
type Restore = (count: number) => void;

/**
 * @param values the client data of the filter.
 * @throws {InvalidDataError} where the client data or the chunk is none of this filter.
 * @throws {UnsupportedError} for floats with an exponent of two, which no program writes.
 */
export function decodeScaleOffset(
  bytes: Uint8Array,
  values: readonly number[],
  size: OutputSize,
  target?: Uint8Array,
): Uint8Array {
  const { isFloat, factor, count, valueBytes, isLittle, fill } = parseSettings(values);
  const valueBits = 8 * valueBytes;
  // Integers whose bits are fixed at all of them are stored as they are, without a header.
  if (!isFloat && factor === valueBits) return bytes;
  const out = memoryFor(count * valueBytes, size, target);
  checkBits(0, bytes.length, HEADER_BYTES);
  const header = new DataView(bytes.buffer, bytes.byteOffset, HEADER_BYTES);
  const bits = header.getUint32(0, true);
  if (bits > valueBits) throw new InvalidDataError(`scale-offset packs ${bits} bits of numbers of ${valueBits}`);
  checkBits(bits * count, bytes.length, HEADER_BYTES);
  if (bits === valueBits) {
    out.set(bytes.subarray(HEADER_BYTES, HEADER_BYTES + out.length));
    if (!isLittle) swapBytes(out, valueBytes);
    return out;
  }
  const least = new Uint8Array(LEAST_BYTES);
  least.set(bytes.subarray(LEAST_AT, LEAST_AT + Math.min(LEAST_BYTES, bytes[4])));
  const [low, high, block] = [new Uint32Array(BLOCK), new Uint32Array(BLOCK), new Uint8Array(BLOCK * valueBytes)];
  const scale: Scale = {
    least: new DataView(least.buffer),
    factor,
    fillCode: fill === null ? [-1, -1] : [2 ** Math.min(bits, 32) - 1, bits > 32 ? 2 ** (bits - 32) - 1 : 0],
    fill: fill ?? [0, 0],
  };
  const restore = restorer(isFloat, valueBytes, { low, high, values: block.buffer }, scale);
  const packed = new PackedBits(bytes, HEADER_BYTES);
  for (let done = 0; done < count; done += BLOCK) {
    const some = Math.min(BLOCK, count - done);
    if (bits > 32) packed.takeHalves(bits, some, low, high);
    else if (bits > 0) packed.takeMany(bits, some, low);
    restore(some);
    out.set(some === BLOCK ? block : block.subarray(0, some * valueBytes), done * valueBytes);
  }
  if (!isLittle) swapBytes(out, valueBytes);
  return out;
}

/** The kinds of scales: powers of ten, powers of two, and none, for integers. */
const [DECIMAL, BINARY, INTEGER] = [0, 1, 2];

const SETTINGS = 20;

function parseSettings(values: readonly number[]): Settings {
  if (values.length !== SETTINGS) {
    throw new InvalidDataError(`scale-offset has ${values.length} settings; it has ${SETTINGS} in any file`);
  }
  const [kind, factor, count, numberClass, valueBytes, , order, hasFill, fillLow, fillHigh] = values;
  if (kind === BINARY) throw new UnsupportedError("scale-offset of floats by powers of two");
  const isFloat = numberClass === 1;
  const sizes = isFloat ? [4, 8] : [1, 2, 4, 8];
  if (numberClass > 1 || !sizes.includes(valueBytes) || kind !== (isFloat ? DECIMAL : INTEGER)) {
    throw new InvalidDataError(
      `scale-offset of kind ${kind} for numbers of class ${numberClass} and ${valueBytes} bytes, which it has not`,
    );
  }
  if (order > 1) throw new InvalidDataError(`scale-offset has byte order ${order}; 0 and 1 exist`);
  // The factor is a signed number, of which a negative one of integers means that it is not fixed.
  const signed = factor | 0;
  if (!isFloat && signed > 8 * valueBytes) {
    throw new InvalidDataError(`scale-offset packs ${signed} bits of integers of ${8 * valueBytes}`);
  }
  const fill = hasFill === 1 ? ([fillLow, fillHigh] as const) : null;
  return { isFloat, factor: signed, count, valueBytes, isLittle: order === 0, fill };
}

function restorer(isFloat: boolean, valueBytes: number, block: Block, scale: Scale): Restore {
  if (isFloat) return valueBytes === 4 ? restoreFloats(block, scale) : restoreDoubles(block, scale);
  switch (valueBytes) {
    case 1:
      return restoreIntegers(block, new Uint8Array(block.values), scale);
    case 2:
      return restoreIntegers(block, new Uint16Array(block.values), scale);
    case 4:
      return restoreIntegers(block, new Uint32Array(block.values), scale);
    default:
      return restoreLongs(block, scale);
  }
}

/** Integers of up to 32 bits, of both signs: an array of them keeps the lower bits of what it is given. */
function restoreIntegers(
  { low }: Block,
  values: Uint8Array | Uint16Array | Uint32Array,
  { least, fillCode: [code], fill: [fill] }: Scale,
): Restore {
  const from = least.getUint32(0, true);
  return (count) => {
    for (let i = 0; i < count; i++) values[i] = low[i] === code ? fill : low[i] + from;
  };
}

function restoreLongs({ low, high, values }: Block, { least, fillCode, fill }: Scale): Restore {
  const halves = new Uint32Array(values);
  const [fromLow, fromHigh] = [least.getUint32(0, true), least.getUint32(4, true)];
  const [codeLow, codeHigh] = fillCode;
  const [fillLow, fillHigh] = fill;
  return (count) => {
    for (let i = 0; i < count; i++) {
      if (low[i] === codeLow && high[i] === codeHigh) {
        halves[2 * i] = fillLow;
        halves[2 * i + 1] = fillHigh;
      } else {
        const sum = low[i] + fromLow;
        halves[2 * i] = sum;
        halves[2 * i + 1] = high[i] + fromHigh + (sum >= 2 ** 32 ? 1 : 0);
      }
    }
  };
}

/** Computes in single precision, as libhdf5 does. The fill value is given as bits, which keeps all bits of a NaN. */
function restoreFloats({ low, values }: Block, { least, factor, fillCode: [code], fill: [fill] }: Scale): Restore {
  const [floats, words] = [new Float32Array(values), new Uint32Array(values)];
  const from = least.getFloat32(0, true);
  const power = Math.fround(Number(`1e${factor}`));
  return (count) => {
    for (let i = 0; i < count; i++) {
      if (low[i] === code) words[i] = fill;
      else floats[i] = Math.fround(Math.fround(low[i]) / power) + from;
    }
  };
}

function restoreDoubles({ low, high, values }: Block, { least, factor, fillCode, fill }: Scale): Restore {
  const [doubles, halves] = [new Float64Array(values), new Uint32Array(values)];
  const from = least.getFloat64(0, true);
  const power = Number(`1e${factor}`);
  const [codeLow, codeHigh] = fillCode;
  const [fillLow, fillHigh] = fill;
  return (count) => {
    for (let i = 0; i < count; i++) {
      if (low[i] === codeLow && high[i] === codeHigh) {
        halves[2 * i] = fillLow;
        halves[2 * i + 1] = fillHigh;
      } else doubles[i] = (high[i] * 2 ** 32 + low[i]) / power + from;
    }
  };
}
