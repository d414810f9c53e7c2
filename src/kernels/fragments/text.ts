/**
 * Parses lines of fragments: `chromosome, start, end, barcode`, and optionally the number of reads, separated by tabs.
 * Numbers are parsed from the bytes, without strings.
 */

import { InvalidDataError } from "../../model/errors.js";
import { computeNameHash, HASH_START, HASH_STEP, NameTable } from "../text/name-table.js";

const TAB = 9;
const NEWLINE = 10;
const RETURN = 13;
const HASH = 35;
const ZERO = 48;

/** Memory for fragments, filled from the beginning. `length` fragments are stored so far. */
export class FragmentBuffer {
  length = 0;
  readonly chr: Int32Array;
  readonly start: Uint32Array;
  readonly end: Uint32Array;
  readonly cell: Int32Array;
  readonly count: Uint32Array;

  constructor(room: number) {
    this.chr = new Int32Array(room);
    this.start = new Uint32Array(room);
    this.end = new Uint32Array(room);
    this.cell = new Int32Array(room);
    this.count = new Uint32Array(room);
  }

  get room(): number {
    return this.chr.length;
  }
}

/** The fragments stored in a block so far. */
export type ReadonlyFragmentBuffer = Readonly<Omit<FragmentBuffer, "room">>;

export class FragmentNames {
  readonly chr = new NameTable();
  readonly cell = new NameTable();
}

/** Counts the columns of a file's first line. Returns null if the line is not a fragment. */
export function countFragmentColumns(line: Uint8Array): number | null {
  const columns = columnsOf(line);
  if (columns.length < 4) return null;
  const isNumber = (column: Uint8Array) => column.length > 0 && column.every(isDigit);
  return columns[0].length > 0 && isNumber(columns[1]) && isNumber(columns[2]) ? columns.length : null;
}

function columnsOf(line: Uint8Array): Uint8Array[] {
  const columns: Uint8Array[] = [];
  let from = 0;
  for (;;) {
    const tab = line.indexOf(TAB, from);
    columns.push(line.subarray(from, tab < 0 ? line.length : tab));
    if (tab < 0) return columns;
    from = tab + 1;
  }
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte < ZERO + 10;
}

export class FragmentParser {
  readonly #names: FragmentNames;
  readonly #counted: boolean;
  readonly #mayAdd: boolean;
  #line = 0;
  #chr = -1;
  #head = true;

  /**
   * @param counted whether lines have a fifth column.
   * @param mayAdd whether new names are added; otherwise all names must be known already.
   */
  constructor(names: FragmentNames, counted: boolean, mayAdd: boolean) {
    this.#names = names;
    this.#counted = counted;
    this.#mayAdd = mayAdd;
  }

  /**
   * Parses the lines of `bytes` from `at` on, until all are parsed or `block` is full. The last byte must be a newline.
   * @returns the position after the last parsed line.
   * @throws {InvalidDataError} if a line is not a fragment.
   */
  parse(bytes: Uint8Array, at: number, block: FragmentBuffer): number {
    const { chr: chromosomes, cell: cells } = this.#names;
    const size = bytes.length;
    let from = at;
    while (block.length < block.room && from < size) {
      if (this.#head) {
        if (bytes[from] === HASH) {
          from = bytes.indexOf(NEWLINE, from) + 1;
          this.#line++;
          continue;
        }
        this.#head = false;
      }
      let i = from;
      while (bytes[i] > RETURN) i++;
      const nameEnd = i;
      let start = 0;
      const startAt = ++i;
      for (; isDigit(bytes[i]); i++) start = 10 * start + bytes[i] - ZERO;
      const startEnd = i;
      let end = 0;
      const endAt = ++i;
      for (; isDigit(bytes[i]); i++) end = 10 * end + bytes[i] - ZERO;
      const endEnd = i;
      const cellAt = ++i;
      let hash = HASH_START;
      for (; bytes[i] > RETURN; i++) hash = Math.imul(hash ^ bytes[i], HASH_STEP);
      const cellEnd = i;
      let count = 0;
      let countAt = 0;
      if (this.#counted) {
        countAt = ++i;
        for (; isDigit(bytes[i]); i++) count = 10 * count + bytes[i] - ZERO;
      }
      const countEnd = i;
      if (bytes[i] === RETURN) i++;
      const whole =
        bytes[i] === NEWLINE &&
        nameEnd > from &&
        bytes[nameEnd] === TAB &&
        startEnd > startAt &&
        bytes[startEnd] === TAB &&
        endEnd > endAt &&
        bytes[endEnd] === TAB &&
        cellEnd > cellAt &&
        (!this.#counted || (bytes[cellEnd] === TAB && countEnd > countAt));
      if (!whole || start > 0xffffffff || end > 0xffffffff || count > 0xffffffff) throw this.#wrong(bytes, from);
      if (this.#chr < 0 || !chromosomes.is(this.#chr, bytes, from, nameEnd)) {
        this.#chr = this.#number(chromosomes, bytes, from, nameEnd, computeNameHash(bytes, from, nameEnd));
      }
      const row = block.length++;
      block.chr[row] = this.#chr;
      block.start[row] = start;
      block.end[row] = end;
      block.cell[row] = this.#number(cells, bytes, cellAt, cellEnd, hash);
      block.count[row] = count;
      from = i + 1;
      this.#line++;
    }
    return from;
  }

  #number(table: NameTable, bytes: Uint8Array, from: number, to: number, hash: number): number {
    const found = table.find(bytes, from, to, hash);
    if (found >= 0) return found;
    if (!this.#mayAdd) throw new InvalidDataError(`line ${this.#line + 1} has a name that was not there before`);
    return table.add(bytes, from, to, hash);
  }

  /** Makes the error that describes the line at `from`. */
  #wrong(bytes: Uint8Array, from: number): InvalidDataError {
    const newline = bytes.indexOf(NEWLINE, from);
    let to = newline < 0 ? bytes.length : newline;
    if (to > from && bytes[to - 1] === RETURN) to--;
    const text = new TextDecoder().decode(bytes.subarray(from, Math.min(to, from + 80)));
    const found = columnsOf(bytes.subarray(from, to)).length;
    const wanted = this.#counted ? 5 : 4;
    const what =
      found === wanted
        ? `a name, two positions, a barcode${this.#counted ? " and a count" : ""} are expected, numbers below 2^32`
        : `${found} columns, ${wanted} are expected`;
    return new InvalidDataError(`line ${this.#line + 1}, ${JSON.stringify(text)}: ${what}`);
  }
}
