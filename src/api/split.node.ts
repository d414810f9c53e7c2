/** `split` writes a dataset as several outputs in a folder, by the values of a column or in parts of equal size. */

import { join } from "node:path";
import { checkStoreOptions } from "../formats/formats.js";
import { type Output, parseOutput, type StoreFormat } from "../formats/output.js";
import type { ReadOptions } from "../io/sources/source.js";
import { createOutputFolder } from "../io/targets/output-folder.node.js";
import type { CopyStorage } from "../jobs/reorder/copy-storage.js";
import { RowCopies } from "../jobs/reorder/row-copies.js";
import type { PositionGroups } from "../jobs/reorder/split-plan.js";
import type { DataTable, Format, Progress, TableSet } from "../model/dataset.js";
import {
  type AnnarrowError,
  InvalidInputError,
  isAnnarrowError,
  isCancellation,
  isUnsupportedOrInvalid,
  locateError,
  runWithLocation,
} from "../model/errors.js";
import { hasModalities } from "../model/modalities.js";
import { checkOptions, type NamesOf } from "../model/option-names.js";
import { type Selection, slice } from "../model/selection.js";
import type { AxisGroups, GroupValue } from "../selection/axis-groups.js";
import { computeModalityGroups } from "../selection/modalities.js";
import { FileNames } from "../sinks/directory/table-files.js";
import { StoredTable, type TableSplit } from "../tables/stored-table.js";
import { type AnyConvertOptions, OUTPUT_OPTIONS, type OutputLocationOptions, type OutputOptions } from "./convert.js";
import { convertUnchecked, getTargetOptions } from "./convert.node.js";
import { storeOptions } from "./convert-to-store.js";
import { DatasetAxes } from "./dataset-axes.js";
import { checkDataset, createOpenedDataset, OpenedDataset, throwIfChanged } from "./opened-dataset.js";
import { refuseInputs, refuseOverlap } from "./overlap.node.js";
import { findTableInStore, type PartTable } from "./renamed-dataset.js";
import { reorderDataset, withCopyStorage } from "./reordered.js";
import { readAxisLength, readDatasetAxisGroups } from "./select.js";

/** Specifies how a dataset is split: by a column, or into parts with a fixed number of positions. */
interface SplitRule {
  /** Column of `obs` (or `var`). There is one output for each of its values. */
  readonly by?: string;
  /** Number of observations (or variables) per output. The last output may have fewer. */
  readonly rows?: number;
  /** Axis along which to split; `obs` by default. */
  readonly axis?: "obs" | "var";
  /** Whether to leave out categories that no position in an output has; false by default. */
  readonly dropUnused?: boolean;
}

/** A dataset that can be split: a dataset of `open`, or a part of such a dataset. */
export interface SplitSource extends TableSet<StoredTable | DataTable> {
  select(selection: Selection): Promise<TableSet<StoredTable | DataTable>>;
}

/** Either `by` or `rows`, and options for each output. */
export type SplitOptions = SplitRule &
  OutputOptions &
  OutputLocationOptions & {
    /** Names of the tables to write; all by default. */
    readonly tables?: readonly string[];
  };

const SPLIT_OPTIONS = {
  ...OUTPUT_OPTIONS,
  ...{ by: true, rows: true, axis: true, dropUnused: true, tables: true },
} as const satisfies NamesOf<SplitOptions>;

export type AnySplitOptions = SplitRule & AnyConvertOptions;

/** One output of a split. */
export interface SplitPart {
  /** Value of the column; null for positions without a value. Absent for a split by number of rows. */
  readonly value?: GroupValue;
  /** Name of the output within the folder. */
  readonly file: string;
  /** The output's first position on the axis. Absent for a split by a column. */
  readonly start?: number;
  /** Number of positions of the axis. */
  readonly count: number;
}

export interface SplitResult {
  readonly parts: readonly SplitPart[];
  readonly warnings: readonly string[];
}

/** Maximum number of outputs. If there would be more, the wrong column was probably chosen. */
const MAX_PARTS = 10_000;

/** File in the folder that lists the parts. */
const SPLIT_MANIFEST = "split.json";

/** Name of the output for positions that have no value. */
const NO_VALUE = "no-value";

/**
 * Writes a dataset as several outputs in the folder `directory` (also at `s3://`, `gs://`, `az://`), one for each value
 * of a column, or for every `rows` positions. Each output has the content that `select` would return. The file
 * `split.json` lists the outputs. The input is read only once, however many outputs there are. The folder is written
 * completely or not at all.
 * @param options `format` is the format of the outputs; by default `h5ad`, or `h5mu` for a MuData.
 * @returns the outputs, sorted by category, number or text. Positions whose value is missing or NaN form the last
 * output.
 * @example
 * ```ts
 * const { parts } = await split(data, "by-donor/", { by: "donor" });
 * for (const { value, file, count } of parts) console.log(value, file, count);
 * ```
 * @throws {NotFoundError} if there is no such column.
 * @throws {InvalidInputError} if the folder exists and `overwrite` is not given; if it is an input, is inside one or
 * contains one; for a column that cannot be grouped; and for more than 10,000 outputs.
 */
export async function split(data: SplitSource, directory: string, options: SplitOptions): Promise<SplitResult> {
  checkOptions(options, "split", SPLIT_OPTIONS);
  return splitInto(data, directory, options);
}

/** Implements `split` with options for any format, and checks them against the format of the outputs. */
export async function splitInto(
  data: SplitSource,
  directory: string,
  { by, rows, axis = "obs", dropUnused = false, ...options }: AnySplitOptions,
): Promise<SplitResult> {
  const { signal, onProgress } = options;
  const read = { signal };
  if ((by === undefined) === (rows === undefined)) throw new InvalidInputError("a split is by a column, or by rows");
  if (rows !== undefined && !(Number.isInteger(rows) && rows > 0)) {
    throw new InvalidInputError(`parts of ${rows} rows: the number is a whole one, above 0`);
  }
  const form = formOf(options.format, data.format);
  if (form.store !== null) checkStoreOf(form.store, options, directory);
  if (data instanceof OpenedDataset) await refuseInputs(data.origin.inputs, [directory]);
  await refuseOverlap(directory, data.source);
  const folder = await createOutputFolder(directory, getTargetOptions(options));
  const checkUnchanged = () => checkDataset(data);
  try {
    const names = new FileNames([SPLIT_MANIFEST]);
    const tables = options.tables;
    const wanted = { axis, tables };
    const parts: SplitPart[] = [];
    const warnings = new Set(folder.warnings);
    await withCopyStorage(async (storage) => {
      const { from, pieces, ...groups } =
        by === undefined
          ? await runWithLocation({ source: data.source }, () => piecesOfRows(data, axis, rows ?? 1))
          : await piecesByValue(data, { ...wanted, by }, storage, read);
      const withCopies = await splitElements(data, { ...wanted, ...groups }, storage, read);
      for (const [i, { start, count, ...piece }] of pieces.entries()) {
        signal?.throwIfAborted();
        const file = names.file([piece.name], form.suffix);
        const chosen = await from.select({ [axis]: slice(start, start + count), dropUnused, ...read });
        const part = await withCopies(chosen, i);
        const progress = (state: Progress) => onProgress?.({ ...state, element: `${file}: ${state.element}` });
        const own = {
          ...options,
          overwrite: false,
          format: form.format,
          onProgress: onProgress && progress,
        };
        const result = await convertUnchecked(part, join(folder.path, file), own, async () => undefined);
        for (const warning of result.warnings) warnings.add(warning);
        parts.push(by === undefined ? { file, start, count } : { value: piece.value ?? null, file, count });
      }
    });
    const rule = by === undefined ? { axis, rows } : { axis, by };
    await checkUnchanged();
    await folder.write(SPLIT_MANIFEST, manifest({ annarrow: 1, source: data.source, split: rule, parts }));
    await folder.commit();
    return { parts, warnings: [...warnings] };
  } catch (error) {
    await folder.abort();
    if (!isCancellation(error)) await throwIfChanged(checkUnchanged);
    throw named(error, folder.path, directory);
  }
}

/** Replaces the temporary path in an error with the folder's path. */
function named(error: unknown, temporary: string, directory: string): unknown {
  if (!isAnnarrowError(error) || error.source?.startsWith(temporary) !== true) return error;
  error.source = join(directory, error.source.slice(temporary.length));
  return error.locate({});
}

/** Positions [start, start + count) of a dataset, which become one output. */
interface SplitPiece {
  readonly start: number;
  readonly count: number;
  readonly name: string;
  readonly value?: GroupValue;
}

interface SplitPieces extends PositionGroups {
  /** The whole dataset, to which the positions in the groups refer. */
  readonly from: SplitSource;
  readonly pieces: readonly SplitPiece[];
}

async function piecesOfRows(from: SplitSource, axis: "obs" | "var", rows: number): Promise<SplitPieces> {
  const length = await readAxisLength(from, axis);
  const count = Math.ceil(length / rows);
  checkNumber(count, `parts of ${rows}`);
  const digits = String(count).length;
  const pieces = Array.from({ length: count }, (_, i) => ({
    start: i * rows,
    count: Math.min(rows, length - i * rows),
    name: `part-${String(i + 1).padStart(digits, "0")}`,
  }));
  const positions = Int32Array.from({ length }, (_, i) => i);
  return { from, pieces, positions, ends: Int32Array.from(pieces, (piece) => piece.start + piece.count) };
}

async function piecesByValue(
  whole: SplitSource,
  { by, axis, ...wanted }: { readonly by: string; readonly axis: "obs" | "var"; readonly tables?: readonly string[] },
  storage: CopyStorage,
  options: ReadOptions,
): Promise<SplitPieces> {
  const groups = await runWithLocation({ source: whole.source }, () => readDatasetAxisGroups(whole, axis, by, options));
  const { values, positions, ends } = groups;
  checkNumber(values.length, `${by} has ${values.length} values`);
  const isTogether = areTogether(groups);
  const from = isTogether
    ? whole
    : await reorderDataset(whole, { axis, positions, ...wanted }, new RowCopies(storage), options);
  const pieces = values.map((value, i) => {
    const first = i === 0 ? 0 : ends[i - 1];
    return {
      start: isTogether ? positions[first] : first,
      count: ends[i] - first,
      name: value === null ? NO_VALUE : String(value),
      value,
    };
  });
  return { from, pieces, positions, ends };
}

/** True if each group's positions are consecutive. */
function areTogether({ positions, ends }: AxisGroups): boolean {
  return ends.every((end, i) => {
    const first = i === 0 ? 0 : ends[i - 1];
    return positions[end - 1] - positions[first] === end - 1 - first;
  });
}

function checkNumber(parts: number, what: string): void {
  if (parts <= MAX_PARTS) return;
  throw new InvalidInputError(`${what}, which would be ${parts} outputs; at most ${MAX_PARTS} are written`);
}

/**
 * Checks options before anything is read.
 * @throws {InvalidInputError} for options that the output format does not have.
 */
function checkStoreOf(store: StoreFormat, options: AnyConvertOptions, source: string): void {
  try {
    checkStoreOptions(store, storeOptions(options));
  } catch (error) {
    throw locateError(error, { source });
  }
}

/** Returns the format of the outputs and their file extension. */
function formOf(
  wanted: string | undefined,
  source: Format,
): { readonly format: string; readonly suffix: string; readonly store: StoreFormat | null } {
  const format = wanted ?? (source === "mudata" ? "h5mu" : "h5ad");
  const output: Output = parseOutput(format === "10x" ? "part.tsv.gz" : "part", format);
  switch (output.kind) {
    case "store":
      return { format, suffix: `.${output.format}`, store: output.format };
    case "fragments":
      return { format, suffix: ".tsv.gz", store: null };
    case "database":
      return { format, suffix: ".duckdb", store: null };
    case "directory":
    case "file":
    case "stdout":
      return { format, suffix: "", store: null };
    default:
      return output satisfies never;
  }
}

function manifest(content: object): string {
  // Some JSON readers do not preserve integers beyond 2^53.
  return `${JSON.stringify(content, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value), 2)}\n`;
}

// If matrices and fragments are split along an axis by which they are not stored, the parts are read from copies.

type AnyDataset = TableSet<StoredTable | DataTable>;

interface SplitOfDataset extends PositionGroups {
  readonly axis: "obs" | "var";
  /** Names of the tables that will be read; all by default. */
  readonly tables?: readonly string[];
}

/** Adds the split elements to the part of a dataset that belongs to a group. */
type WithSplitElements = (part: AnyDataset, group: number) => Promise<AnyDataset>;

/**
 * Copies the fragments, and the matrices that are not stored by `axis`, each in one pass. In a modality of a MuData,
 * where maps define the positions, tables are copied only if the maps preserve their order.
 */
async function splitElements(
  dataset: AnyDataset,
  { axis, tables: wanted, ...groups }: SplitOfDataset,
  storage: CopyStorage,
  options: ReadOptions,
): Promise<WithSplitElements> {
  if (groups.ends.length < 2) return async (part) => part;
  const axes = await DatasetAxes.of(dataset, dataset.tables);
  const along = new Map<string, PositionGroups>([[axes.main[axis], groups]]);
  if (hasModalities(dataset.format, dataset.tables.keys())) {
    const own = await computeModalityGroups(await storedTables(dataset), axis, groups, options);
    for (const [name, ofModality] of own) along.set(name, ofModality);
  }
  const splits = new Map<string, TableSplit>();
  const failures = new Map<string, AnnarrowError>();
  for (const [name, table] of dataset.tables) {
    const [first, second] = axes.axesOf(name).map((one) => (one === null ? undefined : along.get(one)));
    const own = first ?? second;
    if (own === undefined || (first !== undefined && second !== undefined) || wanted?.includes(name) === false)
      continue;
    try {
      const split = await (await stored(table))?.split({ ...own, place: own === first ? 0 : 1 }, storage, options);
      if (split !== null && split !== undefined) splits.set(name, split);
    } catch (error) {
      if (!isUnsupportedOrInvalid(error)) throw error;
      // Broken fragments cannot be left out separately. They are read as stored when an output is written, and the
      // error occurs at that time.
      if (table.metadata.kind !== "fragments") failures.set(name, error);
    }
  }
  return async (part, group) => {
    if (splits.size === 0 && failures.size === 0) return part;
    const tables = new Map<string, PartTable>();
    for (const [name, table] of part.tables) {
      const own = failures.has(name) ? null : splits.get(name);
      if (own === null) continue;
      const whole = own === undefined ? null : await stored(table);
      tables.set(name, whole === null || own === undefined ? table : own(whole, group));
    }
    const { format, version, container, shape, source, warnings } = part;
    return createOpenedDataset(
      {
        ...{ format, version, container, shape, source, warnings, close: async () => undefined },
        failures: new Map([...part.failures, ...failures]),
      },
      tables,
    );
  };
}

async function storedTables({ tables }: AnyDataset): Promise<ReadonlyMap<string, StoredTable>> {
  const all = new Map<string, StoredTable>();
  for (const [name, table] of tables) {
    const own = await stored(table);
    if (own !== null) all.set(name, own);
  }
  return all;
}

async function stored(table: PartTable): Promise<StoredTable | null> {
  return table instanceof StoredTable ? table : findTableInStore(table);
}
