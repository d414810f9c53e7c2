/** `concat`: many datasets as one. */

import type { MergeStrategy } from "../concat/merged.js";
import type { FragmentInput } from "../concat/merged-fragments.js";
import type { Dataset, DataTable } from "../model/dataset.js";
import { InvalidInputError } from "../model/errors.js";
import { mayHaveModalities } from "../model/modalities.js";
import { checkOptions, type NamesOf } from "../model/option-names.js";
import { StoredTable } from "../tables/stored-table.js";
import { type Annotated, annotatedTables, InputPool, type ReopenedInput } from "./concat-inputs.js";
import { type Input, type OpenOptions, open } from "./open.js";
import { checkDataset, OpenedDataset, throwIfChanged } from "./opened-dataset.js";

/** The options of `concat`, with the meaning that they have in `anndata.concat`. */
export interface ConcatOptions {
  /** The axis along which the datasets follow each other; `"obs"` by default. */
  readonly axis?: "obs" | "var";
  /** Whether the other axis has the names that all datasets have (`"inner"`, default), or all names (`"outer"`). */
  readonly join?: "inner" | "outer";
  /** The choice among columns and matrices of the other axis; by default none is kept. */
  readonly merge?: MergeStrategy;
  /** The choice among the elements of `uns`; by default none is kept. */
  readonly unsMerge?: MergeStrategy;
  /** The name of a new column with the key of each row's dataset. */
  readonly label?: string;
  /** A key for each dataset; by default the names in a record, and `0`, `1`, … in an array. */
  readonly keys?: readonly string[];
  /** The text between a row's name and its dataset's key; by default names stay as they are. */
  readonly indexUnique?: string;
  /**
   * The value at positions that a matrix lacks; by default 0 in sparse matrices, NaN in dense ones, whose integers become
   * floats.
   */
  readonly fillValue?: number;
  /**
   * What becomes of a column of integers that only some datasets have: nulls where it is missing (`"null"`, default), or
   * floats with NaN (`"float"`), as in pandas.
   */
  readonly missingIntegers?: "null" | "float";
  /** Whether `obsp` (along var: `varp`) becomes blocks along the diagonal; false by default. */
  readonly pairwise?: boolean;
  /** The modality that is taken of each MuData; datasets of other formats are taken as they are. */
  readonly modality?: string;
  /**
   * Allows that large integers are rounded to floats and that booleans become 0 and 1 beside other numbers, and leaves out
   * elements that cannot be read, and columns of types that have none together.
   */
  readonly lossy?: boolean;
  readonly signal?: AbortSignal;
}

/** The names of the options. */
export const CONCAT_OPTIONS = {
  ...{ axis: true, join: true, merge: true, unsMerge: true, label: true, keys: true, indexUnique: true },
  ...{ fillValue: true, missingIntegers: true, pairwise: true, modality: true, lossy: true, signal: true },
} as const satisfies NamesOf<ConcatOptions>;

/** Datasets, or inputs of `open`, in their order; the keys of a record are their keys. */
export type ConcatInputs<T> = readonly (Dataset | T)[] | Readonly<Record<string, Dataset | T>>;

/** Makes an input of `concat` that is opened when it is needed. */
export type ConcatOpener<T> = (input: T, options: OpenOptions) => ReopenedInput;

/**
 * Puts datasets together along one axis, with the meaning of `anndata.concat`. Datasets of other formats get the names
 * of AnnData. This reads the names, the categories and the elements that are merged; the tables of the result read all
 * other values. Inputs that are not open yet are opened when they are needed. `warnings` of the result names the
 * elements that were widened, filled or left out. Fragments of BPCells are put together with fragments, as `c()` of
 * fragments in R does.
 * @param inputs datasets, which must stay open, or inputs of `open`.
 * @example
 * ```ts
 * await write("all.h5ad", await concat({ s1: "a.h5ad", s2: "b.zarr" }, { join: "outer", label: "sample" }));
 * ```
 * @throws {InvalidInputError} where datasets do not fit together: the message names the dataset and the element; and for a
 * MuData without `modality`.
 */
export async function concat(inputs: ConcatInputs<Input>, options: ConcatOptions = {}): Promise<Dataset> {
  checkOptions(options, "concat", CONCAT_OPTIONS);
  return concatOf(inputs, options, (input, how) => ({ open: () => open(input, how) }));
}

/** `concat` with the inputs of `open`. */
export async function concatOf<T>(
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
      if (isOpen(value)) annotated.push(await annotatedTables(value, annotate));
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

/** @throws {InvalidInputError} where only some datasets have fragments alone. */
function fragmentsOf(inputs: readonly Annotated[]): readonly FragmentInput[] | null {
  const fragments = inputs.flatMap((input) => input.fragments ?? []);
  if (fragments.length === 0) return null;
  const other = inputs.find((input) => input.fragments === null);
  if (other === undefined) return fragments;
  throw new InvalidInputError(`no fragments, which ${fragments[0].source} has: they are put together with fragments`, {
    source: other.source,
  });
}

/** The options that fragments have no use for. */
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
  const [{ mergedFragments }, { checkKeys }] = await Promise.all([
    import("../concat/merged-fragments.js"),
    import("../concat/concat.js"),
  ]);
  checkKeys(inputs.length, keys);
  const warnings: string[] = [];
  const table = mergedFragments(inputs, {
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

/** @throws {InvalidInputError} for keys of inputs that have keys. */
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
