/** `concat` combines many datasets into one. */

import type { MergeStrategy } from "../concat/merged.js";
import type { FragmentInput } from "../concat/merged-fragments.js";
import type { Dataset, DataTable } from "../model/dataset.js";
import { InvalidInputError } from "../model/errors.js";
import { mayHaveModalities } from "../model/modalities.js";
import { checkOptions, type NamesOf } from "../model/option-names.js";
import { StoredTable } from "../tables/stored-table.js";
import { type Annotated, InputPool, type ReopenedInput, toAnnDataTables } from "./concat-inputs.js";
import { type Input, type OpenOptions, open } from "./open.js";
import { checkDataset, OpenedDataset, throwIfChanged } from "./opened-dataset.js";

/** The options of `concat`. They have the same meaning as in `anndata.concat`. */
export interface ConcatOptions {
  /** The axis along which the datasets are concatenated; `"obs"` by default. */
  readonly axis?: "obs" | "var";
  /** `"inner"` (default) keeps the names on the other axis that all datasets have. `"outer"` keeps all names. */
  readonly join?: "inner" | "outer";
  /** Strategy for columns and matrices along the other axis. By default they are dropped. */
  readonly merge?: MergeStrategy;
  /** Strategy for the elements of `uns`. By default they are dropped. */
  readonly unsMerge?: MergeStrategy;
  /** The name of a new column that contains the key of each row's dataset. */
  readonly label?: string;
  /** A key for each dataset. By default, the names in a record, or `0`, `1`, … for an array. */
  readonly keys?: readonly string[];
  /** The text between a row's name and its dataset's key. By default, names do not change. */
  readonly indexUnique?: string;
  /**
   * Value at positions that a matrix lacks. The default is 0 in sparse matrices, and NaN in dense matrices, in which
   * integers then become floats.
   */
  readonly fillValue?: number;
  /**
   * Result for an integer column that only some datasets have: nulls for missing values (`"null"`, default), or floats
   * with NaN (`"float"`), as in pandas.
   */
  readonly missingIntegers?: "null" | "float";
  /** Whether to write `obsp` (along var: `varp`) as blocks along the diagonal; false by default. */
  readonly pairwise?: boolean;
  /** The modality to read from each MuData. Datasets of other formats are read whole. */
  readonly modality?: string;
  /**
   * Allows losses. Large integers are rounded to floats, and booleans become 0 and 1 if other datasets have numbers.
   * Elements that cannot be read, and columns without a common type, are left out.
   */
  readonly lossy?: boolean;
  readonly signal?: AbortSignal;
}

export const CONCAT_OPTIONS = {
  ...{ axis: true, join: true, merge: true, unsMerge: true, label: true, keys: true, indexUnique: true },
  ...{ fillValue: true, missingIntegers: true, pairwise: true, modality: true, lossy: true, signal: true },
} as const satisfies NamesOf<ConcatOptions>;

/** Datasets or inputs of `open`, in order. In a record, the keys become the datasets' keys. */
export type ConcatInputs<T> = readonly (Dataset | T)[] | Readonly<Record<string, Dataset | T>>;

/** Creates an input of `concat` that is opened on demand. */
export type ConcatOpener<T> = (input: T, options: OpenOptions) => ReopenedInput;

/**
 * Concatenates datasets along one axis, with the semantics of `anndata.concat`. Datasets of other formats get AnnData's
 * names. `concat` itself reads only names, categories and merged elements. All other values are read when the result's
 * tables are read. Inputs that are not open yet are opened when they are needed. The result's `warnings` name the
 * elements that were widened, filled or left out. BPCells fragments are concatenated with fragments, as `c()` does in
 * R.
 * @param inputs datasets, which must stay open, or inputs of `open`.
 * @example
 * ```ts
 * await write("all.h5ad", await concat({ s1: "a.h5ad", s2: "b.zarr" }, { join: "outer", label: "sample" }));
 * ```
 * @throws {InvalidInputError} if datasets do not fit together (the message names the dataset and the element), and for
 * a MuData without `modality`.
 */
export async function concat(inputs: ConcatInputs<Input>, options: ConcatOptions = {}): Promise<Dataset> {
  checkOptions(options, "concat", CONCAT_OPTIONS);
  return concatDatasets(inputs, options, (input, how) => ({ open: () => open(input, how) }));
}

/** Implements `concat` for the inputs of `open`. */
export async function concatDatasets<T>(
  inputs: ConcatInputs<T>,
  options: ConcatOptions,
  open: ConcatOpener<T>,
): Promise<Dataset> {
  const { axis = "obs", join = "inner", lossy = false, signal } = options;
  const { keys, values } = keyed(inputs, options.keys);
  const annotate = { lossy, modality: options.modality ?? null };
  const pool = new InputPool({ ...annotate, inputs: values.length });
  const checkUnchanged = async () => {
    for (const value of values) if (isOpen(value)) await checkDataset(value);
    await pool.checkUnchanged();
  };
  try {
    const annotated: Annotated[] = [];
    for (const value of values) {
      signal?.throwIfAborted();
      if (isOpen(value)) annotated.push(await toAnnDataTables(value, annotate));
      else annotated.push(await pool.input(open(value, { signal })));
    }
    if (
      annotate.modality !== null &&
      annotated.length > 0 &&
      annotated.every(({ format }) => !mayHaveModalities(format))
    ) {
      throw new InvalidInputError(`no dataset is a MuData, so that none has the modality ${annotate.modality}`);
    }
    const [{ concatTables }, { ColumnDataTable }, { tableWhere }] = await Promise.all([
      import("../concat/concat.js"),
      import("../tables/column-data-table.js"),
      import("./where.js"),
    ]);
    const meaning = {
      ...{ axis, join, keys, lossy, signal },
      merge: options.merge ?? null,
      unsMerge: options.unsMerge ?? null,
      label: options.label ?? null,
      indexUnique: options.indexUnique ?? null,
      fillValue: options.fillValue ?? null,
      missingIntegers: options.missingIntegers ?? "null",
      pairwise: options.pairwise ?? false,
    };
    const fragments = fragmentsOf(annotated);
    const { tables, shape, warnings } =
      fragments === null ? await concatTables(annotated, meaning) : await concatFragments(fragments, keys, options);
    const source = sourceName(annotated);
    const format = fragments === null ? "anndata" : "bpcells";
    const made = new Map<string, DataTable>();
    const origin = { source, format, tables: made } as const;
    for (const [name, table] of tables) made.set(name, new ColumnDataTable(table, { origin, choose: tableWhere }));
    return new OpenedDataset(
      {
        ...{ format, version: "", container: "arrow", shape, source },
        failures: new Map(),
        warnings: [...annotated.flatMap((one) => one.warnings), ...warnings],
        checkUnchanged,
        close: () => pool.close(),
      },
      made,
      (table) => {
        if (table instanceof StoredTable) throw new TypeError(`${table.name} is stored, and not put together`);
        return table instanceof ColumnDataTable ? table.choosing(tableWhere) : table;
      },
      { isPart: true, inputs: values.map(pathIn).filter((path) => path !== null) },
    );
  } catch (error) {
    try {
      await throwIfChanged(checkUnchanged);
    } finally {
      await pool.close();
    }
    throw error;
  }
}

/** @throws {InvalidInputError} if some datasets contain only fragments, and others do not. */
function fragmentsOf(inputs: readonly Annotated[]): readonly FragmentInput[] | null {
  const fragments = inputs.flatMap((input) => input.fragments ?? []);
  if (fragments.length === 0) return null;
  const other = inputs.find((input) => input.fragments === null);
  if (other === undefined) return fragments;
  throw new InvalidInputError(`no fragments, which ${fragments[0].source} has: they are put together with fragments`, {
    source: other.source,
  });
}

/** Options that do not apply to fragments. */
const MATRIX_OPTIONS = {
  join: "join",
  merge: "merge",
  unsMerge: "uns-merge",
  label: "label",
  fillValue: "fill-value",
  missingIntegers: "missing-integers",
  pairwise: "pairwise",
  modality: "modality",
} as const;

async function concatFragments(
  inputs: readonly FragmentInput[],
  keys: readonly string[],
  { axis, indexUnique, ...options }: ConcatOptions,
) {
  if (axis === "var") throw new InvalidInputError("fragments are put together along their cells (--axis obs)");
  for (const [name, flag] of Object.entries(MATRIX_OPTIONS)) {
    const value: unknown = Object.entries(options).find(([own]) => own === name)?.[1];
    if (value === undefined || value === false) continue;
    throw new InvalidInputError(`fragments have cells and chromosomes alone: leave out ${name} (--${flag})`);
  }
  const [{ mergeFragments }, { checkKeys }] = await Promise.all([
    import("../concat/merged-fragments.js"),
    import("../concat/concat.js"),
  ]);
  checkKeys(inputs.length, keys);
  const warnings: string[] = [];
  const table = mergeFragments(inputs, {
    keys,
    indexUnique: indexUnique ?? null,
    warn: (text) => warnings.push(text),
  });
  return { tables: new Map([[table.name, table]]), shape: null, warnings };
}

function pathIn(input: unknown): string | null {
  return typeof input === "string" ? input : input instanceof URL ? input.href : null;
}

function sourceName(inputs: readonly { readonly source: string }[]): string {
  const [first] = inputs;
  return inputs.length === 1 ? first.source : `${first.source} and ${inputs.length - 1} more`;
}

/** @throws {InvalidInputError} if keys are given for inputs that already have keys. */
function keyed<T>(inputs: ConcatInputs<T>, given: readonly string[] | undefined) {
  if (isList(inputs)) return { keys: given ?? inputs.map((_, i) => String(i)), values: inputs };
  if (given !== undefined) throw new InvalidInputError("the record names the datasets already: leave out keys");
  return { keys: Object.keys(inputs), values: Object.values(inputs) };
}

function isList<T>(inputs: ConcatInputs<T>): inputs is readonly (Dataset | T)[] {
  return Array.isArray(inputs);
}

function isOpen<T>(input: Dataset | T): input is Dataset {
  if (typeof input !== "object" || input === null) return false;
  return "tables" in input && "format" in input && "table" in input && typeof input.table === "function";
}
