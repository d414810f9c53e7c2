/** Writes annotated datasets as one R object, which is a SingleCellExperiment or a Seurat object. */

import { InvalidInputError } from "annarrow";
import type { ColumnBatch } from "annarrow/core/arrow";
import { createTextColumn, decodeTextValues } from "annarrow/core/arrow";
import type { ChunkEncoder } from "annarrow/core/containers";
import type { ByteTarget } from "annarrow/core/io";
import type { ColumnTable } from "annarrow/core/tables";
import { findFrameIndex, readTableBatches, toNameTexts } from "annarrow/core/tables";
import { createWriterContext, type WriterOptions, type WrittenTables } from "annarrow/core/writers";
import type { RValue } from "../../containers/rds/model/value.js";
import { RdsDocument } from "../../containers/rds/write/document.js";
import { mergeCells } from "./cells.js";
import { createRList, type RWriterContext, withOrigin } from "./context.js";
import { type DatasetOptions, DatasetTables, nameTableInErrors, type Written } from "./dataset.js";
import { getUnsKey, type RGoal, splitModalityPath, TITLES } from "./element-paths.js";
import { createExperiment } from "./experiment.js";
import { readFrame, type WrittenFrame } from "./frame.js";
import { createMappingList } from "./mapping.js";
import { type CellsTable, mergeObjectCells } from "./object-cells.js";
import { type AssayDataset, createSeuratObject } from "./seurat.js";

export interface RWriteOptions extends WriterOptions, DatasetOptions {
  readonly goal: RGoal;
  readonly encoder: ChunkEncoder;
  /** The gzip level; null for no compression. */
  readonly level: number | null;
  /** The name of the only dataset, which becomes the name of its assay or of the main experiment. */
  readonly name: string | null;
}

const X_NAME = "uns/X_name";

/** Default name of an assay in Seurat. */
const ASSAY = "RNA";

/**
 * Writes the tables as one object to `target`, which the caller commits or aborts.
 * @param tables tables, keyed by AnnData or MuData element name.
 * @throws {RefusedError} for values that R cannot represent; the error names the table.
 */
export async function writeR(
  target: ByteTarget,
  tables: ReadonlyMap<string, ColumnTable>,
  options: RWriteOptions,
): Promise<WrittenTables> {
  const { goal, encoder, level, signal } = options;
  const warnings: string[] = [];
  const own = createWriterContext(options, warnings);
  const how = { encoder, level, spill: own.spill, signal };
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

/** A dataset of the object, and its name, which is null if there is only one dataset. */
interface Part {
  readonly name: string | null;
  readonly tables: ReadonlyMap<string, ColumnTable>;
}

/** Splits the tables into datasets by name, and tables that belong to the whole MuData. */
function partsOf(tables: ReadonlyMap<string, ColumnTable>, name: string | null) {
  const whole = new Map<string, ColumnTable>();
  const modalities = new Map<string, Map<string, ColumnTable>>();
  for (const [path, table] of tables) {
    const [prefix, own] = splitModalityPath(path);
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

function inUns(tables: ReadonlyMap<string, ColumnTable>): readonly (readonly [key: string, table: ColumnTable])[] {
  return [...tables].flatMap(([name, table]) =>
    name.startsWith("uns/") && !table.derived ? [[name.slice("uns/".length), table] as const] : [],
  );
}

/** Returns the name of the first assay if zellkonverter stored it in `uns/X_name`, and all other tables. */
async function mainAssay(
  tables: ReadonlyMap<string, ColumnTable>,
  cx: RWriterContext,
): Promise<readonly [string | null, ReadonlyMap<string, ColumnTable>]> {
  const table = tables.get(X_NAME);
  if (table?.fields.length !== 1 || table.fields[0].type.id !== "Utf8") return [null, tables];
  const names: (string | null)[] = [];
  for await (const { columns } of readTableBatches(table, cx))
    for (const one of toNameTexts(columns[0])) names.push(one);
  const [name] = names;
  if (names.length !== 1 || name === null || tables.has(`layers/${name}`)) return [null, tables];
  const rest = new Map([...tables].filter(([key]) => key !== X_NAME));
  return [name, withoutListed(rest, (path) => path === X_NAME)];
}

/** Returns the tables, with some paths removed from the listing of `uns`. */
function withoutListed(
  tables: ReadonlyMap<string, ColumnTable>,
  isLeft: (path: string) => boolean,
): ReadonlyMap<string, ColumnTable> {
  const listing = tables.get("uns");
  return listing === undefined ? tables : new Map([...tables, ["uns", dropListedPaths(listing, isLeft)]]);
}

/** Returns the tables of a MuData without the elements of `uns` that its first modality also has. */
function besides(
  whole: ReadonlyMap<string, ColumnTable>,
  first: ReadonlyMap<string, ColumnTable>,
): ReadonlyMap<string, ColumnTable> {
  const taken = new Set([...first.keys()].filter((name) => name.startsWith("uns/")).map(getUnsKey));
  return withoutListed(whole, (path) => taken.has(getUnsKey(path)));
}

async function experiments(
  tables: ReadonlyMap<string, ColumnTable>,
  options: RWriteOptions,
  cx: RWriterContext,
  written: Written[],
): Promise<RValue> {
  const { parts, whole } = partsOf(tables, options.name);
  const [opening, ...others] = await Promise.all(parts.map((part) => opened(part, options, cx)));
  const modalities = [opening, ...others].map(({ name, dataset }): CellsTable => {
    const table = dataset.table("obs");
    return { name: name ?? "", frame: dataset.frame("obs"), table, index: indexOfCells(table, options) };
  });
  const [own] = modalities;
  const differing = modalities.find(({ frame }) => !hasSameCells(frame, own.frame));
  if (differing !== undefined) throw otherCells(differing, modalities, null, "sce");
  // The other modalities keep their own columns.
  const cells =
    parts[0].tables === whole ? own.frame : await cellsOf([own], whole.get("obs") ?? null, options, cx, written);
  const first = { ...opening, dataset: opening.dataset.withCells(cells) };
  const alternatives: [string, RValue][] = [];
  for (const { name, dataset, main, metadata: list } of others) {
    alternatives.push([
      name ?? "",
      await createExperiment(dataset, { name: null, main, alternatives: [], metadata: list }),
    ]);
    for (const one of dataset.written) written.push(one);
  }
  const value = await createExperiment(first.dataset, {
    name: first.name,
    main: first.main,
    alternatives,
    metadata: first.metadata,
  });
  prepend(written, first.dataset.written);
  return value;

  async function opened({ name, tables: own }: Part, how: DatasetOptions, context: RWriterContext) {
    const dataset = await DatasetTables.open(own, { ...how, namesAreNeeded: false }, context);
    const [main, rest] = await mainAssay(own, context);
    const ofWhole = own === parts[0].tables && own !== whole ? [besides(whole, rest)] : [];
    const below = [...ofWhole, rest].flatMap(inUns);
    const listings = [...ofWhole, rest].flatMap((one) => one.get("uns") ?? []);
    const list = await createMappingList(below, listings, context, dataset.written);
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
  const modalities: CellsTable[] = [];
  const stdev = new Map<string, ColumnTable>();
  for (const { name, tables: own } of parts) {
    const dataset = await DatasetTables.open(own, { ...options, namesAreNeeded: true }, cx);
    const lists = collectMisc(own);
    // In a dataset without modalities, `misc` belongs to the object.
    const misc = own === whole ? createRList([]) : await miscList(lists, cx, written);
    for (const [key, table] of lists.stdev) stdev.set(key, table);
    assays.push({ name: name ?? ASSAY, dataset, misc, scaled: lists.scaled });
    const table = own.get("obs") ?? null;
    modalities.push({ name: name ?? "", frame: dataset.frame("obs"), table, index: indexOfCells(table, options) });
  }
  const cells =
    parts[0].tables === whole
      ? modalities[0].frame
      : await cellsOf(modalities, whole.get("obs") ?? null, options, cx, written);
  const lists = collectMisc(whole);
  for (const [key, table] of lists.stdev) stdev.set(key, table);
  const list = await miscList(lists, cx, written);
  const value = await createSeuratObject(
    { assays, cells, misc: list, stdev },
    options.goal === "seurat-v5" ? "v5" : "v4",
  );
  prepend(
    written,
    assays.flatMap(({ dataset }) => dataset.written),
  );
  return value;
}

/**
 * Inserts tables before those that were written earlier. A dataset may have more tables than a call can have arguments.
 */
function prepend(written: Written[], first: readonly Written[]): void {
  const later = written.splice(0);
  for (const list of [first, later]) for (const one of list) written.push(one);
}

/** Writes the list `misc`. If it contains all of `uns`, records this, so that the list is read as `uns` again. */
async function miscList(
  { misc, listings, isAll }: ReturnType<typeof collectMisc>,
  cx: RWriterContext,
  written: Written[],
): Promise<RValue> {
  const list = await createMappingList(misc, listings, cx, written);
  return isAll ? withOrigin(list, "uns") : list;
}

/**
 * Returns the column that contains the cell names, as specified by the caller for the modality's `obs` or every `obs`.
 */
function indexOfCells(table: ColumnTable | null, { index }: RWriteOptions): string | undefined {
  return index[table?.name ?? ""] ?? index.obs;
}

/** Merges the cells of several modalities. Only Seurat 5 allows assays whose cells differ from the object's cells. */
async function cellsOf(
  modalities: readonly CellsTable[],
  table: ColumnTable | null,
  options: RWriteOptions,
  cx: RWriterContext,
  written: Written[],
): Promise<WrittenFrame> {
  const frame =
    table === null ? null : await nameTableInErrors(table.name, () => readFrame(table, options.index.obs, cx));
  if (table !== null && frame !== null) written.push({ name: table.name, rows: frame.rows });
  const whole = table === null || frame === null ? null : { name: "", frame, table, index: options.index.obs };
  const [first, ...others] = modalities;
  const differing = others.find((one) => !hasSameCells(one.frame, first.frame)) ?? whole;
  if (differing === null || hasSameCells(differing.frame, first.frame)) {
    return mergeCells(modalities, frame, cx.document);
  }
  if (options.goal === "seurat-v5") return mergeObjectCells(modalities, whole, cx);
  throw otherCells(differing, modalities, whole, options.goal);
}

function hasSameCells(one: WrittenFrame, other: WrittenFrame): boolean {
  return one.rows === other.rows && (one.names?.every((name, i) => name === other.names?.[i]) ?? true);
}

/** Creates the error for modalities with different cells, with the way to write them. */
function otherCells(
  { name, frame }: Pick<CellsTable, "name" | "frame">,
  modalities: readonly CellsTable[],
  whole: CellsTable | null,
  goal: RGoal,
): InvalidInputError {
  const [first] = modalities;
  const at = frame.names?.findIndex((cell, i) => cell !== first.frame.names?.[i]) ?? -1;
  const where =
    at < 0 ? `${frame.rows} cells, ${first.frame.rows} in ${first.name}` : `cell ${at} is the first other one`;
  const own = whole ?? first;
  const joins = modalities.map((one) => ` semi join "mod/${one.name}/obs" ${sameIndex(own, one)}`).join("");
  const ways = [
    ...(goal === "sce" ? [] : ["Seurat 5, whose assays may have some of the cells (--seurat v5)"]),
    `one modality (--modality ${first.name})`,
    `the cells that all have (--obs-sql 'select row from obs${joins} order by row')`,
  ];
  return new InvalidInputError(
    `other cells than ${first.name} (${where}); all parts of a ${TITLES[goal]} object have the same; write ${ways.join(", or ")}`,
    { element: name === "" ? "obs" : `mod/${name}/obs` },
  );
}

/**
 * Returns an SQL join condition between `obs` and a modality's cells. It compares the columns that contain their names.
 */
function sameIndex(whole: CellsTable, modality: CellsTable): string {
  const [name, other] = [whole, modality].map(({ table, index }) =>
    table === null ? "_index" : findFrameIndex(table, index).name,
  );
  const quoted = (one: string) => `"${one.replaceAll('"', '""')}"`;
  if (name === other) return `using (${/^[a-z_]\w*$/i.test(name) ? name : quoted(name)})`;
  return `on obs.${quoted(name)} = "mod/${modality.name}/obs".${quoted(other)}`;
}

// The lists of a Seurat object: `misc`, and the elements of `uns` that belong to reductions.

/** Mapping into which the Seurat reader converts `misc`. */
const MISC = "misc/";

/** Scaled values of some features, and the names of these features. */
const [SCALED, SCALED_FEATURES] = ["obsm/scale.data", "uns/scale.data.features"];

type Named = readonly (readonly [key: string, table: ColumnTable])[];

/**
 * Returns the elements of `misc`: those of `uns/misc`, followed by all other elements of `uns`.
 * @throws {InvalidInputError} for two elements with the same name.
 */
function collectMisc(tables: ReadonlyMap<string, ColumnTable>): {
  readonly misc: Named;
  readonly listings: readonly ColumnTable[];
  /** Standard deviations along the axes of reductions, keyed by reduction name. */
  readonly stdev: ReadonlyMap<string, ColumnTable>;
  /** Features of `obsm/scale.data`, if the reader recorded them. */
  readonly scaled: ColumnTable | null;
  /** Whether the list contains all of `uns`, without elements that were read from `misc`. */
  readonly isAll: boolean;
} {
  const misc = new Map<string, ColumnTable>();
  const stdev = new Map<string, ColumnTable>();
  for (const [name, table] of tables) {
    if (!name.startsWith("uns/") || table.derived) continue;
    const [reduction, key, ...rest] = name.slice("uns/".length).split("/");
    if (key === "stdev" && rest.length === 0 && isReduction(reduction, tables) && isReals(table)) {
      stdev.set(reduction, table);
      continue;
    }
    if (name === SCALED_FEATURES && tables.has(SCALED)) continue;
    const own = inMisc(name.slice("uns/".length));
    if (misc.has(own)) throw new InvalidInputError(`two elements become misc$${own}: rename one`, { element: name });
    misc.set(own, table);
  }
  const listing = tables.get("uns");
  const scaled = tables.has(SCALED) ? (tables.get(SCALED_FEATURES) ?? null) : null;
  const rest =
    listing === undefined || scaled === null ? listing : dropListedPaths(listing, (path) => path === SCALED_FEATURES);
  const isAll = misc.size > 0 && ![...tables.keys()].some((name) => /^uns\/misc(\/|$)/.test(name));
  return { misc: [...misc], listings: rest === undefined ? [] : [hoisted(rest)], stdev, scaled, isAll };
}

function isReduction(name: string, tables: ReadonlyMap<string, ColumnTable>): boolean {
  return tables.has(`obsm/X_${name}`);
}

function isReals({ fields, metadata }: ColumnTable): boolean {
  return fields.length === 1 && fields[0].type.id === "Float" && metadata?.shape?.length === 1;
}

function inMisc(key: string): string {
  return key.startsWith(MISC) ? key.slice(MISC.length) : key;
}

/** Returns the listing with its paths relative to `misc`. */
function hoisted(listing: ColumnTable): ColumnTable {
  return withPaths(listing, (path) => (path === "uns/misc" ? null : path.replace(/^uns\/misc\//, "uns/")));
}

function dropListedPaths(listing: ColumnTable, isLeft: (path: string) => boolean): ColumnTable {
  return withPaths(listing, (path) => (isLeft(path) ? null : path));
}

function withPaths(listing: ColumnTable, change: (path: string) => string | null): ColumnTable {
  const place = listing.fields.findIndex(({ name }) => name === "path");
  if (place < 0) return listing;
  return {
    ...listing,
    async *batches(options): AsyncGenerator<ColumnBatch> {
      for await (const batch of listing.batches(options)) {
        const columns = batch.columns.map((column, i) =>
          i !== place || column.layout !== "variable"
            ? column
            : createTextColumn(decodeTextValues(column).map((path) => (path === null ? null : change(path)))),
        );
        yield { ...batch, columns };
      }
    },
  };
}
