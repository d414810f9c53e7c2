/** A fragments file as lines of text, compressed or not. The names are known only after a pass over the whole file. */

import { decompressSource } from "../../io/sources/decompressed.js";
import type { ByteSource, ReadOptions } from "../../io/sources/source.js";
import { countFragmentColumns, FragmentBuffer, FragmentNames, FragmentParser } from "../../kernels/fragments/text.js";
import { InvalidDataError, isAnnarrowError, locateError, UnsupportedError } from "../../model/errors.js";
import type { VariableValues } from "../../model/stored.js";

/** Number of lines that are parsed at a time. */
const BLOCK = 2 ** 16;

/** Maximum length of a line. */
const MAX_LINE = 2 ** 16;

/** Maximum bytes of comments before the first fragment. Many files have one comment per contig. */
const MAX_HEAD = 2 ** 22;

/** Usual names of fragment files. */
const NAMED = /fragments[^/\\]*\.tsv(\.gz)?$/i;

const NEWLINE = 10;
const HASH = 35;

export interface LineNames {
  readonly rows: number;
  readonly chr: VariableValues;
  readonly cell: VariableValues;
}

class FragmentLines {
  /** True if lines have a fifth column with the number of reads. */
  readonly counted: boolean;
  readonly #source: ByteSource;
  #names: Promise<{ readonly rows: number; readonly names: FragmentNames }> | undefined;

  constructor(source: ByteSource, counted: boolean) {
    this.#source = source;
    this.counted = counted;
  }

  /** Returns all names, numbered in the order of their first appearance. Reads the whole file once. */
  async names(options: ReadOptions = {}): Promise<LineNames> {
    const { rows, names } = await this.#scanned(options);
    return { rows, chr: names.chr.values(), cell: names.cell.values() };
  }

  /** Yields the fragments. A block is valid until the next one is requested. */
  async *blocks(options: ReadOptions = {}): AsyncGenerator<FragmentBuffer> {
    const { names } = await this.#scanned(options);
    yield* this.#parsed(names, false, options);
  }

  #scanned(options: ReadOptions) {
    if (this.#names !== undefined) return this.#names;
    const scan = async () => {
      const names = new FragmentNames();
      let rows = 0;
      for await (const { length } of this.#parsed(names, true, options)) rows += length;
      return { rows, names };
    };
    const scanned = scan();
    this.#names = scanned;
    // After a failed pass, the next call starts a new one.
    scanned.catch(() => {
      if (this.#names === scanned) this.#names = undefined;
    });
    return scanned;
  }

  async *#parsed(names: FragmentNames, mayAdd: boolean, options: ReadOptions): AsyncGenerator<FragmentBuffer> {
    const parser = new FragmentParser(names, this.counted, mayAdd);
    const block = new FragmentBuffer(BLOCK);
    try {
      for await (const bytes of wholeLines(decompressSource(this.#source, options))) {
        options.signal?.throwIfAborted();
        for (let at = 0; at < bytes.length; ) {
          at = parser.parse(bytes, at, block);
          if (block.length < block.room) break;
          yield block;
          block.length = 0;
        }
      }
      if (block.length > 0) yield block;
    } catch (error) {
      throw locateError(error, { source: this.#source.name });
    }
  }
}

/** Splits the bytes into pieces that end with a complete line; the last newline may be missing. */
async function* wholeLines(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest = new Uint8Array(0);
  for await (const piece of pieces) {
    const end = piece.lastIndexOf(NEWLINE) + 1;
    if (end > 0) {
      const first = rest.length === 0 ? end : piece.indexOf(NEWLINE) + 1;
      if (rest.length > 0) yield joined(rest, piece.subarray(0, first));
      if (rest.length === 0 || end > first) yield piece.subarray(rest.length === 0 ? 0 : first, end);
      rest = piece.slice(end);
    } else rest = joined(rest, piece);
    if (rest.length > MAX_LINE) throw new InvalidDataError(`a line of more than ${MAX_LINE} bytes`);
  }
  if (rest.length > 0) yield joined(rest, Uint8Array.of(NEWLINE));
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(a.length + b.length);
  all.set(a);
  all.set(b, a.length);
  return all;
}

/**
 * Opens the fragments in `source`, if the first line that does not start with `#` is a fragment. Only the head of the
 * file is read. A file that is empty or contains only comments counts as a fragments file without fragments if it has
 * the name of one.
 * @throws {UnsupportedError} for lines with more than five columns.
 */
export async function openFragmentLines(source: ByteSource, options: ReadOptions = {}): Promise<FragmentLines | null> {
  const line = await firstLine(source, options);
  if (line === null) return null;
  if (line.length === 0) {
    return NAMED.test(source.name) ? new FragmentLines(source, false) : null;
  }
  const columns = countFragmentColumns(line);
  if (columns === null) return null;
  if (columns > 5) throw new UnsupportedError(`fragments with ${columns} columns; at most 5 are read`);
  return new FragmentLines(source, columns === 5);
}

/**
 * Returns the first line that is not a comment, or an empty line if there is none; null if the file is not text that
 * consists of such lines.
 */
async function firstLine(source: ByteSource, options: ReadOptions): Promise<Uint8Array | null> {
  let read = 0;
  try {
    for await (const bytes of wholeLines(decompressSource(source, options))) {
      read += bytes.length;
      for (let at = 0; at < bytes.length; ) {
        const newline = bytes.indexOf(NEWLINE, at);
        const line = bytes.subarray(at, newline);
        if (line.includes(0)) return null;
        if (line[0] !== HASH) return line.at(-1) === 13 ? line.slice(0, -1) : line.slice();
        at = newline + 1;
      }
      if (read > MAX_HEAD) return null;
    }
  } catch (error) {
    // A file that cannot be decompressed is assumed to have another format, unless it has the name of a fragments file.
    if (isAnnarrowError(error, "InvalidDataError") && !NAMED.test(source.name)) return null;
    throw error;
  }
  return new Uint8Array(0);
}
