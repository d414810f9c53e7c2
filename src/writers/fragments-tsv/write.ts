/** Fragments as the text of 10x Genomics: one line each, in block gzip or as it is. */

import type { ChunkEncoder } from "../../containers/tree/chunk-encoding.js";
import { FragmentLineWriter } from "../../kernels/fragments/line-writer.js";
import { InvalidInputError, locateError } from "../../model/errors.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { type OrderedFragments, type OrderOptions, orderedFragments } from "../../tables/ordered-fragments.js";
import { compressedBlocks } from "./blocks.js";

export interface FragmentsTextOptions extends OrderOptions {
  /** What compresses the blocks; null: the text as it is. */
  readonly encoder: ChunkEncoder | null;
  /** Leave out columns that fragments do not have, with a warning, instead of stopping. */
  readonly lossy?: boolean;
}

export interface FragmentsText {
  /** The bytes of the file, to be read once. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** What is known when these have been read. */
  result(): { readonly rows: number; readonly warnings: readonly string[] };
}

/**
 * The columns `chr`, `start`, `end`, `cell_id`, and `count` where there is one, as lines without a header, sorted by
 * chromosome and start where the table is not. Positions stand as they are: 0-based, the end exclusive.
 * @throws {InvalidInputError} for other columns, and while the bytes are read as `orderedFragments`, and for names that
 * cannot stand in a line.
 */
export async function fragmentsText(table: ColumnTable, options: FragmentsTextOptions): Promise<FragmentsText> {
  const { encoder, lossy = false, signal } = options;
  const fragments = await orderedFragments(table, options);
  const warnings: string[] = [];
  if (fragments.others.length > 0) {
    const problem = `fragments as text have no column ${fragments.others.join(", ")}`;
    if (!lossy) throw new InvalidInputError(`${problem}; leave it out, or allow losses`, { element: table.name });
    warnings.push(`${table.name}: ${problem}; left out`);
  }
  const writer = new FragmentLineWriter();
  let rows = 0;
  const text = linesOf(fragments, writer, table.name, (more) => {
    rows += more;
  });
  return {
    bytes: encoder === null ? copied(text) : compressedBlocks(text, encoder, signal),
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

/** The writer's memory is used again. */
async function* copied(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) if (piece.length > 0) yield piece.slice();
}
