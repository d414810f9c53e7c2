/** Values by which points are coloured, with the contents of their legend. */

import type { ViewDescription } from "annarrow/view";
import type { AxisColumns } from "../../data/axis-columns.js";
import { type CellValues, missingCode } from "../../data/cell-values.js";
import type { Connection } from "../../data/connection.js";
import { plainNumbers } from "../../data/plain-numbers.js";
import { inSlices } from "../../data/slices.js";
import { categoryColours, paletteOf, parseColour } from "../colours/category-colours.js";
import { type NumberSpread, spreadOf } from "../colours/number-spread.js";
import type { Rgb } from "../layer/point-program.js";

export interface CategoryColours {
  readonly kind: "categories";
  readonly title: string;
  readonly column: string;
  readonly codes: Uint8Array | Uint16Array;
  readonly categories: readonly string[];
  readonly colours: readonly Rgb[];
  /** Number of points in each category; the last count is that of points without a value. */
  readonly counts: Uint32Array;
}

export interface NumberColours {
  readonly kind: "numbers";
  readonly title: string;
  /** The column of `obs`; null for genes. */
  readonly column: string | null;
  readonly values: Float32Array | Float64Array;
  readonly spread: NumberSpread;
  /** False while entries of a gene still arrive. */
  readonly isWhole: boolean;
}

export type PointColours = { readonly kind: "none" } | CategoryColours | NumberColours;

export async function columnColours(
  columns: AxisColumns,
  description: ViewDescription,
  column: string,
  signal: AbortSignal,
): Promise<PointColours> {
  const found = await columns.values("obs", column, signal);
  if (found.kind === "numbers") {
    const spread = await spreadOf(found.values, signal);
    return { kind: "numbers", title: column, column, values: found.values, spread, isWhole: true };
  }
  const { codes, categories } = found;
  const [colours, counts] = await Promise.all([
    coloursOf(columns, description, column, categories, signal),
    countCodes(found, null, signal),
  ]);
  return { kind: "categories", title: column, column, codes, categories, colours, counts };
}

/** Returns the colours stored in `uns` for a column, else default colours. */
async function coloursOf(
  columns: AxisColumns,
  description: ViewDescription,
  column: string,
  categories: readonly string[],
  signal: AbortSignal,
): Promise<readonly Rgb[]> {
  const usual = categoryColours(categories.length);
  const table = description.tables.find(({ name }) => name === `uns/${column}_colors`);
  const stored = table?.columns[0];
  if (table === undefined || stored === undefined) return usual;
  try {
    const values = await columns.column(table.name, stored.name, signal);
    return usual.map((colour, at) => parseColour(String(values.get(at))) ?? colour);
  } catch (error) {
    // If colours cannot be read, the points are shown without them.
    signal.throwIfAborted();
    if (error instanceof Error) return usual;
    throw error;
  }
}

/** Counts the cells of each category, optionally within a mask. The last count is that of cells without a value. */
export async function countCodes(
  { codes, categories }: CellValues & { kind: "codes" },
  mask: Uint8Array | null,
  signal?: AbortSignal,
): Promise<Uint32Array> {
  const missing = missingCode(codes);
  const counts = new Uint32Array(missing + 1);
  const count = (from: number, to: number): void => {
    for (let at = from; at < to; at++) {
      const code = codes[at] as number;
      counts[code] = (counts[code] as number) + (mask === null ? 1 : (mask[at] as number));
    }
  };
  await inSlices(codes.length, count, { signal });
  const result = counts.slice(0, categories.length + 1);
  result[categories.length] = counts[missing] as number;
  return result;
}

/** Returns the palette of categories. The colour of the highest possible code is that of no value. */
export function categoryPalette({ codes, colours }: CategoryColours, missing: Rgb): Uint8Array {
  const palette = new Uint8Array(4 * (missingCode(codes) + 1));
  palette.set(paletteOf(colours).subarray(0, 4 * colours.length));
  palette.set([...missing, 255], 4 * missingCode(codes));
  return palette;
}

export interface GeneQuestion {
  readonly input: string;
  readonly matrix: string;
  readonly genes: readonly number[];
  readonly title: string;
  readonly cells: number;
}

/** Milliseconds between two pictures of entries that arrive. */
const SHOW = 400;

/** Yields the colours for the mean of some genes: partial ones at intervals, and finally the complete ones. */
export async function* geneColours(
  connection: Connection,
  { input, matrix, genes, title, cells }: GeneQuestion,
  signal: AbortSignal,
  onDone: (share: number) => void,
): AsyncGenerator<NumberColours> {
  const values = new Float32Array(cells);
  const colours = async (isWhole: boolean): Promise<NumberColours> => ({
    ...{ kind: "numbers", title, column: null, values, isWhole },
    spread: await spreadOf(values, signal),
  });
  let shown = performance.now();
  for (const [at, position] of genes.entries()) {
    for await (const batch of connection.batches({ call: "gene", input, matrix, position }, { signal })) {
      const [rows, found] = [batch.getChild("row"), batch.getChild("value")];
      let last = 0;
      for (const [chunk, data] of (rows?.data ?? []).entries()) {
        const of = found?.data[chunk];
        const [{ values: places }, entries] = [data, of === undefined ? [] : plainNumbers(of)];
        for (let entry = 0; entry < data.length; entry++) {
          last = Number(places[entry]);
          values[last] = (values[last] as number) + Number(entries[entry]) / genes.length;
        }
      }
      onDone((at + last / Math.max(cells, 1)) / genes.length);
      if (performance.now() - shown < SHOW) continue;
      yield await colours(false);
      shown = performance.now();
    }
  }
  yield await colours(true);
}
