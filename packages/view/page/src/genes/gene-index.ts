/** Finds genes by name, or by any text column of their table, such as symbols. */

import type { ViewDescription, ViewTable } from "annarrow/view";
import type { AxisColumns } from "../data/axis-columns.js";

/** Columns preferred over row names, which are often accessions. */
const SYMBOLS = [
  "symbol",
  "gene_symbol",
  "gene_symbols",
  "feature_name",
  "gene_name",
  "gene_short_name",
  "hgnc_symbol",
];

export interface GeneMatch {
  readonly position: number;
  /** Name of the gene for the user. */
  readonly label: string;
  /** Further text that distinguishes the gene. */
  readonly detail: string;
}

type Texts = readonly (string | null)[];

export class GeneIndex {
  readonly count: number;
  readonly #names: Texts;
  readonly #labels: Texts;
  readonly #columns: readonly Texts[];

  constructor(names: Texts, columns: ReadonlyMap<string, Texts>) {
    this.count = names.length;
    this.#names = names;
    const symbol = [...columns.keys()].find((column) => SYMBOLS.includes(column.toLowerCase()));
    this.#labels = (symbol === undefined ? null : columns.get(symbol)) ?? names;
    this.#columns = [names, ...columns.values()];
  }

  label(position: number): string {
    return this.#labels[position] ?? this.#names[position] ?? `gene ${position + 1}`;
  }

  /** Finds genes by text: exact matches first, then prefix matches, then genes that contain it. */
  search(text: string, most: number): readonly GeneMatch[] {
    const wanted = text.trim().toLowerCase();
    if (wanted === "") return [];
    const ranked: [position: number, rank: number][] = [];
    for (let position = 0; position < this.count; position++) {
      let rank = 3;
      for (const texts of this.#columns) rank = Math.min(rank, rankOf(texts[position]?.toLowerCase() ?? "", wanted));
      if (rank < 3) ranked.push([position, rank]);
    }
    ranked.sort((a, b) => a[1] - b[1] || this.label(a[0]).length - this.label(b[0]).length || a[0] - b[0]);
    return ranked.slice(0, most).map(([position]) => {
      const label = this.label(position);
      const name = this.#names[position] ?? "";
      return { position, label, detail: name === label ? "" : name };
    });
  }

  /** Finds the gene with a name or label, ignoring case if needed; null if there is none or more than one. */
  find(text: string): number | null {
    for (const same of [
      (value: string) => value === text,
      (value: string) => value.toLowerCase() === text.toLowerCase(),
    ]) {
      for (const texts of this.#columns) {
        const first = texts.findIndex((value) => value !== null && same(value));
        if (first === -1) continue;
        const isAlone = texts.findLastIndex((value) => value !== null && same(value)) === first;
        if (isAlone) return first;
      }
    }
    return null;
  }
}

function rankOf(text: string, wanted: string): number {
  if (text === wanted) return 0;
  if (text.startsWith(wanted)) return 1;
  return text.includes(wanted) ? 2 : 3;
}

const READ = new WeakMap<AxisColumns, Map<string, Promise<GeneIndex>>>();

/** Reads the names and text columns of a matrix's genes once. */
export function readGeneIndex(
  columns: AxisColumns,
  description: ViewDescription,
  table: "var" | "raw/var",
): Promise<GeneIndex> {
  const known = READ.get(columns) ?? new Map<string, Promise<GeneIndex>>();
  READ.set(columns, known);
  const reading = known.get(table) ?? readTexts(columns, description, table);
  known.set(table, reading);
  reading.catch(() => known.delete(table));
  return reading;
}

async function readTexts(
  columns: AxisColumns,
  description: ViewDescription,
  table: "var" | "raw/var",
): Promise<GeneIndex> {
  const frame = description.tables.find(({ name }) => name === table);
  const texts = frame?.columns.filter(({ name, type }) => /utf8/i.test(type) && name !== frame.index) ?? [];
  const read = async (column: string): Promise<Texts> =>
    Array.from(await columns.column(table, column), (value) => (typeof value === "string" ? value : null));
  const names = frame?.index == null ? unnamed(frame) : await read(frame.index);
  const found = await Promise.all(texts.map(async ({ name }) => [name, await read(name)] as const));
  return new GeneIndex(names, new Map(found));
}

const unnamed = (frame: ViewTable | undefined): Texts =>
  Array.from({ length: frame?.rows ?? 0 }, (_, position) => String(position));

export function geneMatrices({ tables, shape }: ViewDescription): readonly ViewTable[] {
  const isMatrix = ({ name }: ViewTable) => name === "X" || name === "raw/X" || name.startsWith("layers/");
  return tables.filter(
    (table) => isMatrix(table) && table.shape?.length === 2 && (shape === null || table.shape[0] === shape[0]),
  );
}

export const genesOf = (matrix: string): "var" | "raw/var" => (matrix.startsWith("raw/") ? "raw/var" : "var");
