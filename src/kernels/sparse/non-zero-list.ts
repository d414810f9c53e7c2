/** A list of non-zero values, row after row: their columns, their bytes, and the ends of the rows. */

/** Size of a value in bytes. */
export type ValueSize = 1 | 2 | 4 | 8;

/**
 * Values copied as words, because copying them as numbers would change the bits of a signalling NaN. A value of 8 bytes
 * is two words.
 */
export type ValueWords = Uint8Array | Uint16Array | Int32Array;

/** Rows of values of one size. The starts of adjacent rows are `stride` values apart. */
export interface StridedRows {
  /** The bytes from the first value to the last. */
  readonly bytes: Uint8Array;
  readonly rows: number;
  readonly cols: number;
  readonly stride: number;
  /** Index of the first column in the matrix. */
  readonly firstCol: number;
}

const LEAST_ENTRIES = 2 ** 12;

export class NonZeroList {
  readonly size: ValueSize;
  length = 0;
  /** Number of completed rows. */
  rows = 0;
  columns = new Int32Array(0);
  bytes = new Uint8Array(0);
  words: ValueWords;
  /** For each row, the number of entries up to its end. */
  ends = new Int32Array(0);

  constructor(size: ValueSize) {
    this.size = size;
    this.words = viewAsWords(this.bytes, size);
  }

  /** The size of the entries in bytes. */
  get held(): number {
    return this.length * (4 + this.size);
  }

  clear(): void {
    this.length = 0;
    this.rows = 0;
  }

  reserve(entries: number): void {
    const needed = this.length + entries;
    if (needed <= this.columns.length) return;
    const room = Math.max(LEAST_ENTRIES, needed, Math.ceil(this.columns.length * 1.5));
    const columns = new Int32Array(room);
    columns.set(this.columns.subarray(0, this.length));
    const bytes = new Uint8Array(room * this.size);
    bytes.set(this.bytes.subarray(0, this.length * this.size));
    this.columns = columns;
    this.bytes = bytes;
    this.words = viewAsWords(bytes, this.size);
  }

  /** Adds `count` entries to the current row. */
  add(columns: Int32Array, bytes: Uint8Array, count: number): void {
    this.reserve(count);
    this.columns.set(columns.subarray(0, count), this.length);
    this.bytes.set(bytes.subarray(0, count * this.size), this.length * this.size);
    this.length += count;
  }

  endRow(): void {
    this.#reserveRows(1);
    this.ends[this.rows++] = this.length;
  }

  /** Completes `count` rows. Row i ends after `ends[i]` of the entries that follow entry `first`. */
  endRows(ends: Int32Array, count: number, first: number): void {
    this.#reserveRows(count);
    for (let i = 0; i < count; i++) this.ends[this.rows + i] = first + ends[i];
    this.rows += count;
  }

  /** Moves the entries [start, end) to `to`, which must not be after `start`. */
  move(to: number, start: number, end: number): void {
    this.columns.copyWithin(to, start, end);
    this.bytes.copyWithin(to * this.size, start * this.size, end * this.size);
  }

  #reserveRows(count: number): void {
    const needed = this.rows + count;
    if (needed <= this.ends.length) return;
    const ends = new Int32Array(Math.max(LEAST_ENTRIES, needed, Math.ceil(this.ends.length * 1.5)));
    ends.set(this.ends.subarray(0, this.rows));
    this.ends = ends;
  }
}

/** Views the bytes of values, which begin at a multiple of 8, as words. */
export function viewAsWords({ buffer, byteOffset, length }: Uint8Array, size: ValueSize): ValueWords {
  switch (size) {
    case 1:
      return new Uint8Array(buffer, byteOffset, length);
    case 2:
      return new Uint16Array(buffer, byteOffset, length / 2);
    case 4:
    case 8:
      return new Int32Array(buffer, byteOffset, length / 4);
    default:
      return size satisfies never;
  }
}
