/** Writes annotated datasets as one R object: a SingleCellExperiment, or a Seurat object. */

import type { RValue } from "../../containers/rds/model/value.js";
import { RdsDocument } from "../../containers/rds/write/document.js";
import type { ChunkEncoder } from "../../containers/tree/container-writer.js";
import { InvalidInputError } from "../../model/errors.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { textsOf } from "../../tables/frame-index.js";
import { rowsOf } from "../../tables/rows.js";
import type { ByteTarget } from "../../targets/target.js";
import { type WriterOptions, type WrittenTables, writerContext } from "../context.js";
import { mergedCells } from "./cells.js";
import { listOf, type RWriterContext } from "./context.js";
import { type DatasetOptions, DatasetTables, ofTable, type Written } from "./dataset.js";
import { experimentOf } from "./experiment.js";
import { readFrame, type WrittenFrame } from "./frame.js";
import { mappingOf } from "./mapping.js";
import { inModality, type RGoal } from "./places.js";
import { type AssayDataset, seuratOf } from "./seurat.js";
import { miscOf, withoutPath } from "./seurat-lists.js";

export interface RWriteOptions extends WriterOptions, DatasetOptions {
  readonly goal: RGoal;
  readonly encoder: ChunkEncoder;
  /** The level of gzip; null for no compression. */
  readonly level: number | null;
  /** The name of the only dataset: of its assay, or of the main experiment. */
  readonly name: string | null;
}

const X_NAME = "uns/X_name";

/** The name that Seurat gives to an assay of which nothing else is known. */
const ASSAY = "RNA";

/**
 * Writes the tables as one object to `target`, which the caller commits or aborts.
 * @param tables tables by their names in an AnnData, or in a MuData.
 * @throws {RefusedError} for values that R has no form for; the error names the table.
 */
export async function writeR(
  target: ByteTarget,
  tables: ReadonlyMap<string, ColumnTable>,
  options: RWriteOptions,
): Promise<WrittenTables> {
  const { goal, encoder, level, signal } = options;
  const warnings: string[] = [];
  const own = writerContext(options, warnings);
  const how = { encoder, level, spill: own.spill, ...(signal === undefined ? {} : { signal }) };
  const document = new RdsDocument(target, how);
  const cx: RWriterContext = { ...own, document };
  try {
    const written: Written[] = [];
    const value =
      goal === "sce" ? await experiments(tables, options, cx, written) : await seurat(tables, options, cx, written);
    await document.close(value);
    return { tables: written, warnings };
  } finally {
    await document.release();
  }
}

/** A dataset of the object, with its name; null for the only one. */
interface Part {
  readonly name: string | null;
  readonly tables: ReadonlyMap<string, ColumnTable>;
}

/** The datasets by their names, and the tables of the whole. */
function partsOf(tables: ReadonlyMap<string, ColumnTable>, name: string | null) {
  const whole = new Map<string, ColumnTable>();
  const modalities = new Map<string, Map<string, ColumnTable>>();
  for (const [path, table] of tables) {
    const [prefix, own] = inModality(path);
    if (prefix === "") whole.set(own, table);
    else {
      const key = prefix.slice("mod/".length, -1);
      const part = modalities.get(key) ?? new Map<string, ColumnTable>();
      modalities.set(key, part.set(own, table));
    }
  }
  const parts: Part[] =
    modalities.size === 0
      ? [{ name, tables: whole }]
      : Array.from(modalities, ([key, part]) => ({ name: key, tables: part }));
  return { whole, parts };
}

/** The tables of `uns`, by their names in it. */
function inUns(tables: ReadonlyMap<string, ColumnTable>): readonly (readonly [key: string, table: ColumnTable])[] {
  return [...tables].flatMap(([name, table]) =>
    name.startsWith("uns/") && !table.derived ? [[name.slice("uns/".length), table] as const] : [],
  );
}

/** The name of the first assay, where `uns/X_name` has it, as zellkonverter writes it, and all other tables. */
async function mainAssay(
  tables: ReadonlyMap<string, ColumnTable>,
  cx: RWriterContext,
): Promise<readonly [string | null, ReadonlyMap<string, ColumnTable>]> {
  const table = tables.get(X_NAME);
  if (table?.fields.length !== 1 || table.fields[0].type.id !== "Utf8") return [null, tables];
  const names: (string | null)[] = [];
  for await (const { columns } of rowsOf(table, cx)) names.push(...textsOf(columns[0]));
  const [name] = names;
  if (names.length !== 1 || name === null || tables.has(`layers/${name}`)) return [null, tables];
  const rest = new Map([...tables].filter(([key]) => key !== X_NAME && key !== "uns"));
  const listing = tables.get("uns");
  return [name, listing === undefined ? rest : rest.set("uns", withoutPath(listing, X_NAME))];
}

async function experiments(
  tables: ReadonlyMap<string, ColumnTable>,
  options: RWriteOptions,
  cx: RWriterContext,
  written: Written[],
): Promise<RValue> {
  const { parts, whole } = partsOf(tables, options.name);
  const [opening, ...others] = await Promise.all(parts.map((part) => opened(part, options, cx)));
  // The other modalities keep their own columns.
  const own = { name: opening.name ?? "", frame: opening.dataset.frame("obs") };
  const cells =
    parts[0].tables === whole
      ? own.frame
      : await mergedCells([own], await wholeCells(whole, options, cx, written), cx.document);
  const first = { ...opening, dataset: opening.dataset.withCells(cells) };
  const alternatives: [string, RValue][] = [];
  for (const { name, dataset, main, metadata: list } of others) {
    const expected = first.dataset.frame("obs");
    checkSameCells(dataset, expected.names, expected.rows, name ?? "");
    alternatives.push([
      name ?? "",
      await experimentOf(dataset, { name: null, main, alternatives: [], metadata: list }),
    ]);
    written.push(...dataset.written);
  }
  const value = await experimentOf(first.dataset, {
    name: first.name,
    main: first.main,
    alternatives,
    metadata: first.metadata,
  });
  written.unshift(...first.dataset.written);
  return value;

  async function opened({ name, tables: own }: Part, how: DatasetOptions, context: RWriterContext) {
    const dataset = await DatasetTables.open(own, { ...how, namesAreNeeded: false }, context);
    const [main, rest] = await mainAssay(own, context);
    const list = await mappingOf(inUns(rest), rest.get("uns") ?? null, context, dataset.written);
    return { name, dataset, main, metadata: list };
  }
}

async function seurat(
  tables: ReadonlyMap<string, ColumnTable>,
  options: RWriteOptions,
  cx: RWriterContext,
  written: Written[],
): Promise<RValue> {
  const { whole, parts } = partsOf(tables, options.name ?? ASSAY);
  const assays: AssayDataset[] = [];
  const stdev = new Map<string, ColumnTable>();
  for (const { name, tables: own } of parts) {
    const dataset = await DatasetTables.open(own, { ...options, namesAreNeeded: true }, cx);
    const [before] = assays;
    if (before !== undefined) {
      const { names, rows } = before.dataset.frame("obs");
      checkSameCells(dataset, names, rows, name ?? "");
    }
    const lists = miscOf(own);
    // What a dataset alone has is the object's.
    const misc = own === whole ? listOf([]) : await mappingOf(lists.misc, lists.listing, cx, written);
    for (const [key, table] of lists.stdev) stdev.set(key, table);
    assays.push({ name: name ?? ASSAY, dataset, misc, scaled: lists.scaled });
  }
  if (parts[0].tables !== whole) {
    const frames = assays.map(({ name, dataset }) => ({ name, frame: dataset.frame("obs") }));
    const cells = await mergedCells(frames, await wholeCells(whole, options, cx, written), cx.document);
    assays[0] = { ...assays[0], dataset: assays[0].dataset.withCells(cells) };
  }
  const lists = miscOf(whole);
  for (const [key, table] of lists.stdev) stdev.set(key, table);
  const list = await mappingOf(lists.misc, lists.listing, cx, written);
  const value = await seuratOf({ assays, misc: list, stdev }, options.goal === "seurat-v5" ? "v5" : "v4");
  written.unshift(...assays.flatMap(({ dataset }) => dataset.written));
  return value;
}

/** The cells of the whole; null where there is no table of them. */
async function wholeCells(
  whole: ReadonlyMap<string, ColumnTable>,
  { index }: DatasetOptions,
  cx: RWriterContext,
  written: Written[],
): Promise<WrittenFrame | null> {
  const table = whole.get("obs");
  if (table === undefined) return null;
  const frame = await ofTable(table.name, () => readFrame(table, index.obs, cx));
  written.push({ name: table.name, rows: frame.rows });
  return frame;
}

/** @throws {InvalidInputError} where a modality has other cells than the first: the parts of one object have the same. */
function checkSameCells(dataset: DatasetTables, names: readonly string[] | null, rows: number, modality: string): void {
  const own = dataset.frame("obs");
  const at = own.names?.findIndex((name, i) => name !== names?.[i]) ?? -1;
  if (own.rows === rows && at < 0) return;
  const where = at < 0 ? `${own.rows} cells, ${rows} in the first` : `cell ${at} is the first other one`;
  throw new InvalidInputError(
    `the modality ${modality} has other cells than the first (${where}); an R object has the same cells in all parts: write one modality (--modality), or the cells that all have`,
    { element: `mod/${modality}/obs` },
  );
}
