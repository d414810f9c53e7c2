import { InvalidDataError } from "../../../model/errors.js";
import type { DecodedOutput } from "../bounds/decoded-output.js";

/* LZMA after Igor Pavlov's "LZMA specification" (2015, public domain): a range coder over adaptive bits. */

const BITS = 11;
const HALF = 1 << (BITS - 1);
const SHIFT = 5;
const TOP = 2 ** 24;
const STATES = 12;
const POSITIONS = 16;
const LITERAL_MODEL = 0x300;
const MIN_MATCH = 2;
const LENGTH_STATES = 4;
const SLOTS = 64;
const ALIGN_BITS = 4;
const FULL_DISTANCES = 128;

/** The parameters in LZMA's property byte. */
export interface LzmaProperties {
  /**
   * Number of bits of the previous byte, and of the position, that select a literal's model; number of position bits
   * for matches.
   */
  readonly lc: number;
  readonly lp: number;
  readonly pb: number;
}

/** @throws {InvalidDataError} where the byte is not a valid property byte. */
export function parseLzmaProperties(byte: number): LzmaProperties {
  if (byte >= 9 * 5 * 5) throw new InvalidDataError(`LZMA properties ${byte}`);
  return { lc: byte % 9, lp: Math.floor(byte / 9) % 5, pb: Math.floor(byte / 45) };
}

class LengthModel {
  readonly choice = model(2);
  readonly low = model(POSITIONS << 3);
  readonly middle = model(POSITIONS << 3);
  readonly high = model(1 << 8);
}

function model(count: number): Uint16Array {
  return new Uint16Array(count).fill(HALF);
}

/** Decodes LZMA into `out`. The bytes of `out` since the last reset are the dictionary. */
export class LzmaDecoder {
  readonly #out: DecodedOutput;
  readonly #lc: number;
  readonly #literalMask: number;
  readonly #positionMask: number;
  #input: Uint8Array = new Uint8Array(0);
  #at = 0;
  #range = 0;
  #code = 0;

  readonly #literals: Uint16Array;
  readonly #isMatch = model(STATES * POSITIONS);
  readonly #isRepeat = model(STATES);
  readonly #isRepeat0 = model(STATES);
  readonly #isRepeat0Long = model(STATES * POSITIONS);
  readonly #isRepeat1 = model(STATES);
  readonly #isRepeat2 = model(STATES);
  readonly #slots = model(LENGTH_STATES * SLOTS);
  readonly #distances = model(1 + FULL_DISTANCES - 14);
  readonly #align = model(1 << ALIGN_BITS);
  readonly #matchLength = new LengthModel();
  readonly #repeatLength = new LengthModel();
  #state = 0;
  #repeats = [0, 0, 0, 0];

  constructor(out: DecodedOutput, properties: LzmaProperties) {
    this.#out = out;
    this.#lc = properties.lc;
    this.#literalMask = (1 << properties.lp) - 1;
    this.#positionMask = (1 << properties.pb) - 1;
    this.#literals = model(LITERAL_MODEL << (properties.lc + properties.lp));
  }

  /**
   * Decodes `input` until `out` has grown by `size` bytes, or up to the end mark if `size` is null. Models, state and
   * repeats are preserved for the next call, as LZMA2's chunks require.
   * @param origin the length of `out` when the dictionary was reset: positions count from there, and no byte before it
   * can be referenced.
   */
  decode(input: Uint8Array, size: number | null, origin: number): void {
    const out = this.#out;
    this.#start(input);
    const end = size === null ? Number.POSITIVE_INFINITY : out.length + size;
    while (out.length < end) {
      const position = (out.length - origin) & this.#positionMask;
      if (this.#bit(this.#isMatch, this.#state * POSITIONS + position) === 0) {
        this.#literal(origin);
        continue;
      }
      const length = this.#match(position, end === Number.POSITIVE_INFINITY);
      if (length === 0) return;
      if (out.length + length > end) throw new InvalidDataError("LZMA: a match passes the end");
      if (this.#repeats[0] + 1 > out.length - origin)
        throw new InvalidDataError("LZMA: a distance passes the beginning");
      out.repeat(this.#repeats[0] + 1, length);
    }
  }

  #start(input: Uint8Array): void {
    if (input.length < 5 || input[0] !== 0) throw new InvalidDataError("corrupt LZMA stream");
    this.#input = input;
    this.#at = 5;
    this.#range = 0xffffffff;
    this.#code = ((input[1] << 24) | (input[2] << 16) | (input[3] << 8) | input[4]) >>> 0;
  }

  #normalise(): void {
    if (this.#range >= TOP) return;
    if (this.#at >= this.#input.length) throw new InvalidDataError("truncated LZMA stream");
    this.#range = (this.#range << 8) >>> 0;
    this.#code = ((this.#code << 8) | this.#input[this.#at++]) >>> 0;
  }

  #bit(models: Uint16Array, index: number): 0 | 1 {
    this.#normalise();
    const value = models[index];
    const bound = (this.#range >>> BITS) * value;
    if (this.#code < bound) {
      this.#range = bound;
      models[index] = value + (((1 << BITS) - value) >> SHIFT);
      return 0;
    }
    this.#range -= bound;
    this.#code -= bound;
    models[index] = value - (value >> SHIFT);
    return 1;
  }

  /** Reads `count` bits without a model. */
  #direct(count: number): number {
    let value = 0;
    for (let i = 0; i < count; i++) {
      this.#normalise();
      this.#range >>>= 1;
      const bit = this.#code >= this.#range ? 1 : 0;
      if (bit === 1) this.#code -= this.#range;
      value = value * 2 + bit;
    }
    return value;
  }

  #tree(models: Uint16Array, start: number, bits: number): number {
    let node = 1;
    for (let i = 0; i < bits; i++) node = (node << 1) | this.#bit(models, start + node);
    return node - (1 << bits);
  }

  #reverseTree(models: Uint16Array, start: number, bits: number): number {
    let node = 1;
    let value = 0;
    for (let i = 0; i < bits; i++) {
      const bit = this.#bit(models, start + node);
      node = (node << 1) | bit;
      value |= bit << i;
    }
    return value;
  }

  #literal(origin: number): void {
    const out = this.#out;
    const position = out.length - origin;
    const previous = position === 0 ? 0 : out.before(1);
    const context = ((position & this.#literalMask) << this.#lc) + (previous >> (8 - this.#lc));
    const start = LITERAL_MODEL * context;
    let symbol = 1;
    if (this.#state >= 7) {
      let matched = out.before(this.#repeats[0] + 1);
      while (symbol < 0x100) {
        const expected = (matched >> 7) & 1;
        matched <<= 1;
        const bit = this.#bit(this.#literals, start + ((1 + expected) << 8) + symbol);
        symbol = (symbol << 1) | bit;
        if (bit !== expected) break;
      }
    }
    while (symbol < 0x100) symbol = (symbol << 1) | this.#bit(this.#literals, start + symbol);
    out.push(symbol & 0xff);
    this.#state = this.#state < 4 ? 0 : this.#state < 10 ? this.#state - 3 : this.#state - 6;
  }

  /** Decodes a match. Returns its length and leaves its distance in `repeats[0]`. A length of 0 is the end mark. */
  #match(position: number, endMark: boolean): number {
    const state = this.#state;
    const repeats = this.#repeats;
    if (this.#bit(this.#isRepeat, state) === 0) {
      const length = this.#length(this.#matchLength, position);
      const distance = this.#distance(length);
      if (distance === 0xffffffff) {
        if (!endMark) throw new InvalidDataError("LZMA: ended early");
        return 0;
      }
      this.#repeats = [distance, repeats[0], repeats[1], repeats[2]];
      this.#state = state < 7 ? 7 : 10;
      return length + MIN_MATCH;
    }
    if (this.#bit(this.#isRepeat0, state) === 0) {
      if (this.#bit(this.#isRepeat0Long, state * POSITIONS + position) === 0) {
        this.#state = state < 7 ? 9 : 11;
        return 1;
      }
    } else {
      let which = 1;
      if (this.#bit(this.#isRepeat1, state) === 1) which = 2 + this.#bit(this.#isRepeat2, state);
      const [distance] = repeats.splice(which, 1);
      repeats.unshift(distance);
    }
    this.#state = state < 7 ? 8 : 11;
    return this.#length(this.#repeatLength, position) + MIN_MATCH;
  }

  #length(models: LengthModel, position: number): number {
    if (this.#bit(models.choice, 0) === 0) return this.#tree(models.low, position << 3, 3);
    if (this.#bit(models.choice, 1) === 0) return 8 + this.#tree(models.middle, position << 3, 3);
    return 16 + this.#tree(models.high, 0, 8);
  }

  #distance(length: number): number {
    const slot = this.#tree(this.#slots, Math.min(length, LENGTH_STATES - 1) * SLOTS, 6);
    if (slot < 4) return slot;
    const bits = (slot >> 1) - 1;
    const base = (2 | (slot & 1)) * 2 ** bits;
    // The models of slots 4 to 13 are stored in one array, shifted so that their trees do not overlap.
    if (slot < 14) return base + this.#reverseTree(this.#distances, base - slot, bits);
    return base + this.#direct(bits - ALIGN_BITS) * 16 + this.#reverseTree(this.#align, 0, ALIGN_BITS);
  }
}
