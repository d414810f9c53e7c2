/** Encodes fragments as lines: `chromosome, start, end, cell`, and optionally a count, separated by tabs. */

import { InvalidInputError } from "../../model/errors.js";
import type { VariableValues } from "../../model/stored.js";
import { copyBytes } from "../text/copy-text.js";
import type { ChromosomeRange, FragmentRows } from "./rows.js";

const TAB = 9;
const NEWLINE = 10;
/** The largest character code that ends a line or column. */
const RETURN = 13;
const HASH = 35;
const ZERO = 48;
/** Size in bytes of the memory in which lines are built. A longer line gets as much memory as it needs. */
const PART_BYTES = 2 ** 22;
/** Maximum number of bytes of a line's three numbers and their separators. */
const MAX_NUMBERS = 3 * 11 + 2;

/** Names in the form in which they appear in lines. */
class Names {
  readonly bytes: DataView;
  readonly offsets: Float64Array;
  readonly longest: number;

  constructor(parts: readonly VariableValues[]) {
    const all = new Uint8Array(parts.reduce((sum, { bytes }) => sum + bytes.length, 0));
    this.offsets = new Float64Array(1 + parts.reduce((sum, { offsets }) => sum + offsets.length - 1, 0));
    let [base, name, longest] = [0, 0, 0];
    for (const { offsets, bytes } of parts) {
      all.set(bytes, base);
      for (let i = 1; i < offsets.length; i++) {
        this.offsets[++name] = base + offsets[i];
        longest = Math.max(longest, offsets[i] - offsets[i - 1]);
      }
      base += bytes.length;
    }
    this.bytes = new DataView(all.buffer);
    this.longest = longest;
  }

  /** @throws {InvalidInputError} if readers would not return the name unchanged. */
  check(name: number, what: "chromosome" | "cell"): void {
    const [from, to] = [this.offsets[name], this.offsets[name + 1]];
    const bytes = new Uint8Array(this.bytes.buffer, from, to - from);
    const isComment = what === "chromosome" && bytes[0] === HASH;
    if (bytes.length > 0 && !isComment && bytes.every((byte) => byte > RETURN)) return;
    throw new InvalidInputError(
      `the ${what} ${JSON.stringify(new TextDecoder().decode(bytes))} cannot stand in a line of fragments`,
    );
  }
}

export class FragmentLineWriter {
  #chr = new Names([]);
  #cell = new Names([]);
  /** One byte per cell: 1 if the cell has a line. */
  #used = new Uint8Array(0);
  #usedChr = new Set<number>();
  #bytes = new Uint8Array(2 ** 16);
  #view = new DataView(this.#bytes.buffer);

  /** Sets the names for the next rows. They must begin with the previous names. */
  names(chr: readonly VariableValues[], cell: readonly VariableValues[]): void {
    this.#chr = new Names(chr);
    this.#cell = new Names(cell);
    const used = new Uint8Array(this.#cell.offsets.length - 1);
    used.set(this.#used);
    this.#used = used;
  }

  /** Counts the chromosomes and cells that have no line so far. */
  unused(): { readonly chr: number; readonly cell: number } {
    const cells = this.#used.reduce((sum, one) => sum + one, 0);
    return { chr: this.#chr.offsets.length - 1 - this.#usedChr.size, cell: this.#used.length - cells };
  }

  /**
   * Yields the lines of `rows` in parts. Each part is valid until the next part is requested.
   * @throws {InvalidInputError} if readers would not return a name unchanged.
   */
  *lines(rows: FragmentRows, runs: readonly ChromosomeRange[]): Generator<Uint8Array> {
    const longest = this.#chr.longest + this.#cell.longest + MAX_NUMBERS;
    const most = Math.max(1, Math.floor(PART_BYTES / longest));
    this.#reserve(Math.min(most, rows.length) * longest);
    let [at, left] = [0, most];
    for (const { chr, from, to } of runs) {
      if (!this.#usedChr.has(chr)) this.#chr.check(chr, "chromosome");
      this.#usedChr.add(chr);
      for (let row = from; row < to; ) {
        const end = Math.min(to, row + left);
        at = this.#run(rows, { chr, from: row, to: end }, at);
        left -= end - row;
        row = end;
        if (left > 0) continue;
        yield this.#bytes.subarray(0, at);
        [at, left] = [0, most];
      }
    }
    if (at > 0) yield this.#bytes.subarray(0, at);
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#bytes.length) return;
    this.#bytes = new Uint8Array(bytes);
    this.#view = new DataView(this.#bytes.buffer);
  }

  #run({ start, end, cell, count }: FragmentRows, { chr, from, to }: ChromosomeRange, first: number): number {
    const [bytes, view, used] = [this.#bytes, this.#view, this.#used];
    const { bytes: names, offsets } = this.#cell;
    const chrAt = this.#chr.offsets[chr];
    const chrLength = this.#chr.offsets[chr + 1] - chrAt;
    let at = first;
    for (let i = from; i < to; i++) {
      const own = cell[i];
      if (used[own] === 0) {
        this.#cell.check(own, "cell");
        used[own] = 1;
      }
      copyBytes(this.#chr.bytes, chrAt, chrLength, view, at);
      at += chrLength;
      bytes[at++] = TAB;
      at = putNumber(start[i], bytes, at);
      bytes[at++] = TAB;
      at = putNumber(end[i], bytes, at);
      bytes[at++] = TAB;
      const length = offsets[own + 1] - offsets[own];
      copyBytes(names, offsets[own], length, view, at);
      at += length;
      if (count !== null) {
        bytes[at++] = TAB;
        at = putNumber(count[i], bytes, at);
      }
      bytes[at++] = NEWLINE;
    }
    return at;
  }
}

/** The digits of every number below 10,000, four each. */
const DIGITS = new Uint8Array(40_000);
for (let i = 0; i < 10_000; i++) {
  DIGITS[4 * i] = ZERO + Math.floor(i / 1000);
  DIGITS[4 * i + 1] = ZERO + (Math.floor(i / 100) % 10);
  DIGITS[4 * i + 2] = ZERO + (Math.floor(i / 10) % 10);
  DIGITS[4 * i + 3] = ZERO + (i % 10);
}

/**
 * Writes a number below 2^32 in decimal.
 * @returns the position after the number.
 */
function putNumber(number: number, bytes: Uint8Array, first: number): number {
  if (number < 10_000) return putHead(number, bytes, first);
  const high = Math.floor(number / 10_000);
  const at = high < 10_000 ? putHead(high, bytes, first) : putMiddle(high, bytes, first);
  return putFour(number - high * 10_000, bytes, at);
}

function putMiddle(number: number, bytes: Uint8Array, first: number): number {
  const high = Math.floor(number / 10_000);
  return putFour(number - high * 10_000, bytes, putHead(high, bytes, first));
}

/** Writes a number below 10,000 without leading zeros. */
function putHead(number: number, bytes: Uint8Array, first: number): number {
  let at = first;
  const from = 4 * number;
  if (number >= 1000) bytes[at++] = DIGITS[from];
  if (number >= 100) bytes[at++] = DIGITS[from + 1];
  if (number >= 10) bytes[at++] = DIGITS[from + 2];
  bytes[at++] = DIGITS[from + 3];
  return at;
}

function putFour(number: number, bytes: Uint8Array, at: number): number {
  const from = 4 * number;
  bytes[at] = DIGITS[from];
  bytes[at + 1] = DIGITS[from + 1];
  bytes[at + 2] = DIGITS[from + 2];
  bytes[at + 3] = DIGITS[from + 3];
  return at + 4;
}
