/**
 * `convert` with paths: from any input of `open` to a store, file, directory or stdout. Also opens targets at paths.
 */

import { getWrittenStore, parseOutput, type StoreFormat, type TablesOutput } from "../formats/output.js";
import { pickAccessOptions, SCHEME_OPTIONS } from "../io/schemes/registry.js";
import type { TargetOptions } from "../io/targets/output-path.node.js";
import type { ContainerTarget, Target } from "../io/targets/target.js";
import type { DataTable, TableSet } from "../model/dataset.js";
import { isCancellation } from "../model/errors.js";
import { checkOptions, type NamesOf } from "../model/option-names.js";
import type { StoredTable } from "../tables/stored-table.js";
import type { AnyConvertOptions, ConvertOptions, ConvertResult, UnreadFrames } from "./convert.js";
import { CONVERT_OPTIONS, convertDataset } from "./convert.js";
import { OPEN_OPTIONS, type OpenOptions } from "./open.js";
import { checkDataset, OpenedDataset, throwIfChanged } from "./opened-dataset.js";
import { refuseInputs, refuseOverlap } from "./overlap.node.js";

type ConvertedDataset = TableSet<DataTable | StoredTable>;

export type Opener<Input> = (input: Input, options?: OpenOptions) => Promise<ConvertedDataset>;

const CONVERT_AND_OPEN = { ...OPEN_OPTIONS, ...CONVERT_OPTIONS, ...SCHEME_OPTIONS } as const satisfies NamesOf<
  ConvertOptions & OpenOptions
>;

/** Makes `convert(input, output, options)` for the inputs of `open`. */
export function createConverter<Input>(open: Opener<Input>) {
  return async (input: Input, output: string, given: ConvertOptions & OpenOptions = {}): Promise<ConvertResult> => {
    checkOptions(given, "convert", CONVERT_AND_OPEN);
    const { path, text, follow, maxObjects, maxColumns, openAs, cf, frame, companion, ...options } = given;
    parseOutput(output, options.format);
    const dataset = await open(input, given);
    try {
      return await convertTo(dataset, output, options);
    } finally {
      await dataset.close();
    }
  };
}

/**
 * Writes `dataset` to `output`, locally or at `s3://`, `gs://`, `az://`: a store or a file (the extension determines
 * the format), a directory (`format` determines its format), or `-` for the standard output. The output is written
 * completely or not at all.
 * @throws {UnsupportedError} for formats that cannot be written.
 * @throws {InvalidInputError} if the output exists and `overwrite` is not given, if it is inside an open input or
 * contains one, if it would replace an input with only a part of this input, or if it is an input of `concat`.
 * @throws {InvalidDataError} if a local input changes while it is read.
 */
export async function convertTo(
  dataset: ConvertedDataset,
  output: string,
  options: AnyConvertOptions = {},
): Promise<ConvertResult> {
  const checkUnchanged = () => checkDataset(dataset);
  try {
    const result = await convertUnchecked(dataset, output, options, checkUnchanged);
    // Bytes that were written to the standard output cannot be taken back.
    if (output === "-") await checkUnchanged();
    return result;
  } catch (error) {
    if (!isCancellation(error)) await throwIfChanged(checkUnchanged);
    throw error;
  }
}

/**
 * Does the work of `convertTo`, except that the caller must check whether the input changes.
 * @param beforeCommit called when the output is complete, before it becomes visible.
 */
export async function convertUnchecked(
  dataset: ConvertedDataset,
  output: string,
  options: AnyConvertOptions,
  beforeCommit: () => Promise<void>,
): Promise<ConvertResult> {
  // Searching for damaged columns reads the whole table, so it is done only if a table turns out to contain some. It is
  // not done for the standard output, which cannot be taken back, and for chunks copied as stored, which are not
  // decoded.
  const isTried = options.lossy === true && output !== "-" && options.compression !== "keep";
  const unread = new Set<string>();
  try {
    return await convertOnce(dataset, output, options, isTried ? unread : null, beforeCommit);
  } catch (error) {
    if (unread.size === 0) throw error;
  }
  return convertOnce(dataset, output, options, null, beforeCommit);
}

async function convertOnce(
  dataset: ConvertedDataset,
  output: string,
  options: AnyConvertOptions,
  unread: UnreadFrames,
  beforeCommit: () => Promise<void>,
): Promise<ConvertResult> {
  const form = parseOutput(output, options.format);
  const { isPart, inputs } = dataset instanceof OpenedDataset ? dataset.origin : { isPart: false, inputs: [] };
  const isSmaller = isPart || options.tables !== undefined || options.lossy === true;
  if (output !== "-") {
    await refuseInputs(inputs, [output]);
    await refuseOverlap(output, isSmaller ? dataset.source : null, dataset.source);
  }
  const how = { ...getTargetOptions(options), beforeCommit };
  if (form.kind === "store") {
    const target = await storeTarget(form.format, output, how);
    const { convertToStore } = await import("./convert-to-store.js");
    return sorted(dataset, target, options, (rows) => convertToStore(rows, form.format, target, options, unread));
  }
  if (form.kind === "database") {
    const [{ createForeignFile }, { convertToDatabase }] = await Promise.all([
      import("../io/targets/foreign-file.node.js"),
      import("./convert-to-database.node.js"),
    ]);
    const file = await createForeignFile(output, how);
    return sorted(dataset, file, options, (rows) => convertToDatabase(rows, file, options, unread));
  }
  const target = await createTableTarget(form, output, how);
  return sorted(dataset, target, options, (rows) => convertDataset(rows, form, target, options, unread));
}

/** Selects the options that apply to an output's location. */
export function getTargetOptions({ overwrite = false, signal, ...options }: AnyConvertOptions): TargetOptions {
  return { overwrite, signal, ...pickAccessOptions(options) };
}

/** Converts the dataset, with its observations in the order that `sortObs` specifies. */
async function sorted(
  dataset: ConvertedDataset,
  target: Pick<Target, "abort">,
  { sortObs, tables, signal }: AnyConvertOptions,
  convert: (sorted: ConvertedDataset) => Promise<ConvertResult>,
): Promise<ConvertResult> {
  if (sortObs === undefined) return convert(dataset);
  try {
    const { withSortedObs } = await import("./sorted-obs.js");
    const wanted = { column: sortObs, tables };
    return await withSortedObs(dataset, wanted, { signal }, convert);
  } catch (error) {
    await target.abort();
    throw error;
  }
}

/**
 * Creates the target for table files: a directory, one file, or the standard output.
 * @throws {InvalidInputError} if the output exists and must not be replaced.
 */
export async function createTableTarget(form: TablesOutput, output: string, options: TargetOptions): Promise<Target> {
  switch (form.kind) {
    case "directory":
      return (await import("../io/targets/directory.node.js")).createDirectoryTarget(output, options);
    case "file": {
      const { createFileTarget } = await import("../io/targets/file.node.js");
      const { createSingleFileTarget } = await import("../io/targets/target.js");
      return createSingleFileTarget(await createFileTarget(output, options));
    }
    case "fragments":
      return createTableTarget({ kind: form.to, format: "tsv" }, output, options);
    case "stdout":
      return (await import("../io/targets/file.node.js")).streamTarget(process.stdout);
    default:
      form satisfies never;
      throw new TypeError("unknown kind of output");
  }
}

/**
 * Creates the target for a store: a file, a directory, or a zip.
 * @throws {InvalidInputError} if the output exists and must not be replaced.
 */
export async function storeTarget(
  format: StoreFormat,
  output: string,
  options: TargetOptions,
): Promise<ContainerTarget> {
  const { kind } = getWrittenStore(format);
  switch (kind) {
    case "file":
      return (await import("../io/targets/file.node.js")).createFileTarget(output, options);
    case "directory":
      return (await import("../io/targets/directory.node.js")).createDirectoryTarget(output, options);
    case "zip": {
      const { createFileTarget } = await import("../io/targets/file.node.js");
      const { zipTarget } = await import("../io/targets/zip.js");
      return zipTarget(await createFileTarget(output, options));
    }
    default:
      kind satisfies never;
      throw new TypeError("unknown kind of store");
  }
}
