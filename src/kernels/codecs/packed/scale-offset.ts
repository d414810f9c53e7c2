/**
 * HDF5's filter 6 removes the common part of a chunk's numbers. An integer is stored as its difference from the
 * smallest number, and a float as this difference in units of a power of ten. All differences are stored with as many
 * bits as the largest difference needs.
 */

import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import { swapBytes } from "../../values/byte-order.js";
import type { MakeCodec, OutputSize } from "../bounds/byte-codec.js";
import { checkBits, getOutputMemory, PackedBits } from "./packed-bits.js";

/** The number of bits per number (u32), the size of the minimum value (u8), the minimum value, and zeros. */
const HEADER_BYTES = 21;

/** Offset of the minimum value, and its maximum size in bytes. */
const LEAST_AT = 5;
const LEAST_BYTES = 8;

/** The number of values that are unpacked before they are scaled. */
const BLOCK = 1024;

/** The storage parameters of a dataset's values. */
interface Settings {
  readonly isFloat: boolean;
  /** For floats, the decimal exponent of the multiplier. For integers, their fixed number of bits. */
  readonly factor: number;
  readonly count: number;
  readonly valueBytes: number;
  readonly isLittle: boolean;
  /** The lower and upper half of the fill value; null if it is undefined. */
  readonly fill: readonly [low: number, high: number] | null;
}

/** The parameters to reverse the packing of a chunk. 64-bit numbers are stored as halves. */
interface Scale {
  readonly least: DataView;
  readonly factor: number;
  /**
   * The code of the fill value, in signed halves. If there is no code, both halves are -1: no number has all bits of
   * its type set, so a number's only (or upper) half cannot be negative.
   */
  readonly fillCode: readonly [low: number, high: number];
  readonly fill: readonly [low: number, high: number];
}

/** The numbers of a block, and the values that they become, as integers of up to 32 bits and as floats. */
interface Block {
  readonly low: Int32Array;
  readonly high: Int32Array;
  readonly integers: Uint8Array | Uint16Array | Uint32Array;
  readonly floats: Float32Array | Float64Array;
}

export const scaleOffset: MakeCodec = ({ values }) => ({
  encodedSize: () => null,
  decode: (bytes, size, target) => decodeScaleOffset(bytes, values, size, target),
});

/**
 * @param values the client data of the filter.
 * @throws {InvalidDataError} if the client data or the chunk is not valid for this filter.
 * @throws {UnsupportedError} if floats are scaled by a power of two, which no program writes.
 */
export function decodeScaleOffset(
  bytes: Uint8Array,
  values: readonly number[],
  size: OutputSize,
  target?: Uint8Array,
): Uint8Array {
  const { isFloat, factor, count, valueBytes, isLittle, fill } = parseSettings(values);
  const valueBits = 8 * valueBytes;
  // Integers whose number of bits is set to their full width are stored unchanged, without a header.
  if (!isFloat && factor === valueBits) return bytes;
  const out = getOutputMemory(count * valueBytes, size, target);
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
  const [low, high, block] = [new Int32Array(BLOCK), new Int32Array(BLOCK), new Uint8Array(BLOCK * valueBytes)];
  const scale: Scale = {
    least: new DataView(least.buffer),
    factor,
    fillCode: fill === null ? [-1, -1] : [bits < 32 ? 2 ** bits - 1 : -1, bits > 32 ? 2 ** (bits - 32) - 1 : 0],
    fill: fill ?? [0, 0],
  };
  const views = { low, high, integers: integersIn(block, valueBytes), floats: floatsIn(block, valueBytes) };
  const packed = new PackedBits(bytes, HEADER_BYTES);
  for (let done = 0; done < count; done += BLOCK) {
    const some = Math.min(BLOCK, count - done);
    if (bits > 32) packed.takeHalves(bits, some, low, high);
    else if (bits > 0) packed.takeMany(bits, some, low);
    if (!isFloat) (valueBytes === 8 ? restoreLongs : restoreIntegers)(views, scale, some);
    else (valueBytes === 8 ? restoreDoubles : restoreFloats)(views, scale, some);
    out.set(some === BLOCK ? block : block.subarray(0, some * valueBytes), done * valueBytes);
  }
  if (!isLittle) swapBytes(out, valueBytes);
  return out;
}

/** The kinds of scales: powers of ten, powers of two, and no scale for integers. */
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
  // The factor is signed. For integers, a negative factor means that the number of bits is not fixed.
  const signed = factor | 0;
  if (!isFloat && signed > 8 * valueBytes) {
    throw new InvalidDataError(`scale-offset packs ${signed} bits of integers of ${8 * valueBytes}`);
  }
  const fill = hasFill === 1 ? ([fillLow, fillHigh] as const) : null;
  return { isFloat, factor: signed, count, valueBytes, isLittle: order === 0, fill };
}

/** Returns a block's memory as integers, with 64-bit integers as halves. */
function integersIn({ buffer }: Uint8Array<ArrayBuffer>, valueBytes: number): Block["integers"] {
  if (valueBytes === 1) return new Uint8Array(buffer);
  return valueBytes === 2 ? new Uint16Array(buffer) : new Uint32Array(buffer);
}

function floatsIn({ buffer }: Uint8Array<ArrayBuffer>, valueBytes: number): Block["floats"] {
  return valueBytes === 8 ? new Float64Array(buffer) : new Float32Array(buffer);
}

/** Restores signed and unsigned integers of up to 32 bits. The typed array keeps the lower bits of assigned numbers. */
function restoreIntegers({ low, integers }: Block, { least, fillCode, fill }: Scale, count: number): void {
  const from = least.getInt32(0, true);
  const [code, filled] = [fillCode[0] | 0, fill[0] | 0];
  for (let i = 0; i < count; i++) {
    const number = low[i];
    integers[i] = number === code ? filled : (number + from) | 0;
  }
}

function restoreLongs({ low, high, integers }: Block, { least, fillCode, fill }: Scale, count: number): void {
  const [fromLow, fromHigh] = [least.getInt32(0, true), least.getInt32(4, true)];
  const [codeLow, codeHigh] = [fillCode[0] | 0, fillCode[1] | 0];
  const [fillLow, fillHigh] = [fill[0] | 0, fill[1] | 0];
  for (let i = 0; i < count; i++) {
    if (low[i] === codeLow && high[i] === codeHigh) {
      integers[2 * i] = fillLow;
      integers[2 * i + 1] = fillHigh;
    } else {
      const sum = (low[i] + fromLow) | 0;
      const carry = sum >>> 0 < low[i] >>> 0 ? 1 : 0;
      integers[2 * i] = sum;
      integers[2 * i + 1] = (high[i] + fromHigh + carry) | 0;
    }
  }
}

/** Computes in single precision, as libhdf5 does. The fill value is stored as bits to preserve all bits of a NaN. */
function restoreFloats({ low, integers, floats }: Block, scale: Scale, count: number): void {
  const from = scale.least.getFloat32(0, true);
  const power = Math.fround(Number(`1e${scale.factor}`));
  const [code, filled] = [scale.fillCode[0] | 0, scale.fill[0] | 0];
  for (let i = 0; i < count; i++) {
    if (low[i] === code) integers[i] = filled;
    else floats[i] = Math.fround(Math.fround(low[i]) / power) + from;
  }
}

function restoreDoubles({ low, high, integers, floats }: Block, scale: Scale, count: number): void {
  const from = scale.least.getFloat64(0, true);
  const power = Number(`1e${scale.factor}`);
  const [codeLow, codeHigh] = [scale.fillCode[0] | 0, scale.fillCode[1] | 0];
  const [fillLow, fillHigh] = [scale.fill[0] | 0, scale.fill[1] | 0];
  for (let i = 0; i < count; i++) {
    if (low[i] === codeLow && high[i] === codeHigh) {
      integers[2 * i] = fillLow;
      integers[2 * i + 1] = fillHigh;
    } else floats[i] = (high[i] * 2 ** 32 + (low[i] >>> 0)) / power + from;
  }
}
