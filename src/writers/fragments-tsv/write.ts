/** Writes fragments in 10x Genomics' text format: one line per fragment, in block gzip or uncompressed. */

import type { ChunkEncoder } from "../../containers/tree/container-writer.js";
import { BGZF_END, toBgzfBlock, UNCOMPRESSED_BLOCK_BYTES } from "../../kernels/codecs/deflate/bgzf.js";
import type { ChunkEncoding } from "../../kernels/codecs/encode-chunk.js";
import { FragmentLineWriter } from "../../kernels/fragments/line-writer.js";
import { InvalidInputError, locateError } from "../../model/errors.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { type OrderedFragments, type OrderOptions, orderFragments } from "../../tables/ordered-fragments.js";

export interface FragmentsTextOptions extends OrderOptions {
  /** Compresses the blocks; null to leave the text uncompressed. */
  readonly encoder: ChunkEncoder | null;
  /** Whether to leave out columns that fragments do not have, with a warning, instead of failing. */
  readonly lossy?: boolean;
}

export interface FragmentsText {
  /** The bytes of the file, which can be read once. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Returns the number of rows and the warnings. May be called once all bytes have been read. */
  result(): { readonly rows: number; readonly warnings: readonly string[] };
}

/**
 * Writes the columns `chr`, `start`, `end`, `cell_id`, and `count` if present, as lines without a header, sorted by
 * chromosome and start. Positions are not changed: 0-based, end exclusive.
 * @throws {InvalidInputError} for other columns; while the bytes are read, for the same reasons as `orderFragments`,
 * and for names that cannot be part of a line.
 */
export async function encodeFragmentsText(table: ColumnTable, options: FragmentsTextOptions): Promise<FragmentsText> {
  const { encoder, lossy = false, signal } = options;
  const fragments = await orderFragments(table, options);
  const warnings: string[] = [];
  if (fragments.others.length > 0) {
    const problem = `fragments as text have no column ${fragments.others.join(", ")}`;
    if (!lossy)
      throw new InvalidInputError(`${problem}; leave it out, or allow losses (--lossy)`, { element: table.name });
    warnings.push(`${table.name}: ${problem}; left out`);
  }
  const writer = new FragmentLineWriter();
  let rows = 0;
  const text = linesOf(fragments, writer, table.name, (more) => {
    rows += more;
  });
  return {
    bytes: encoder === null ? copied(text) : compressBlocks(text, encoder, signal),
    result() {
      const all = [...warnings];
      const backwards = fragments.backwards();
      if (backwards > 0) all.push(`${table.name}: ${backwards} fragments end before they start, as they were stored`);
      const { chr, cell } = writer.unused();
      if (chr + cell > 0) {
        all.push(
          `${table.name}: ${chr} chromosomes and ${cell} cells without fragments, which have no place in the text`,
        );
      }
      return { rows, warnings: all };
    },
  };
}

async function* linesOf(
  { pieces, chr, cell }: OrderedFragments,
  writer: FragmentLineWriter,
  element: string,
  count: (rows: number) => void,
): AsyncGenerator<Uint8Array> {
  let known = 0;
  try {
    for await (const { rows, runs } of pieces) {
      if (chr.count + cell.count > known) {
        known = chr.count + cell.count;
        writer.names(chr.names(), cell.names());
      }
      count(rows.length);
      yield* writer.lines(rows, runs);
    }
    if (known === 0) writer.names(chr.names(), cell.names());
  } catch (error) {
    throw locateError(error, { element });
  }
}

/** Copies each chunk, because the writer reuses its memory. */
async function* copied(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) if (piece.length > 0) yield piece.slice();
}

/**
 * Compresses the blocks at level 1, as BPCells does. This level is fast, and higher levels do not compress barcodes
 * better.
 */
const GZIP: ChunkEncoding = [{ kind: "deflate", form: "gzip", level: 1 }];

/** Yields the blocks of the text, compressed by `encoder`, followed by the empty block that ends the file. */
async function* compressBlocks(
  pieces: AsyncIterable<Uint8Array>,
  encoder: ChunkEncoder,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const under: Promise<Uint8Array>[] = [];
  let block = encoder.memory(UNCOMPRESSED_BLOCK_BYTES);
  let filled = 0;
  for await (const piece of pieces) {
    for (let from = 0; from < piece.length; ) {
      const part = piece.subarray(from, from + UNCOMPRESSED_BLOCK_BYTES - filled);
      block.set(part, filled);
      filled += part.length;
      from += part.length;
      if (filled < UNCOMPRESSED_BLOCK_BYTES) break;
      under.push(encoder.encode(block, GZIP));
      block = encoder.memory(UNCOMPRESSED_BLOCK_BYTES);
      filled = 0;
      if (under.length >= encoder.window) yield* first(under, signal);
    }
  }
  if (filled > 0) {
    const last = encoder.memory(filled);
    last.set(block.subarray(0, filled));
    under.push(encoder.encode(last, GZIP));
  }
  while (under.length > 0) yield* first(under, signal);
  yield BGZF_END;
}

async function* first(under: Promise<Uint8Array>[], signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  const member = await under.shift();
  signal?.throwIfAborted();
  if (member !== undefined) yield toBgzfBlock(member);
}
