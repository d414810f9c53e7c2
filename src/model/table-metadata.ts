/** The metadata of a table, which depends on the kind of its element (docs/mapping.md, sections 1 and 9). */

/** JSON under the schema metadata key `annarrow`, as it is stored. */
export interface TableMetadata {
  readonly kind: string;
  readonly shape?: readonly number[];
  readonly [key: string]: unknown;
}

/** Details that elements of any kind may have. Formats may add further details. */
interface CommonMetadata {
  /**
   * Lengths of all dimensions, `[]` for a scalar. Absent for dataframes, and if only a scan can determine the lengths.
   */
  readonly shape?: readonly number[];
  /** `encoding-type` and `encoding-version`, if the file has them. */
  readonly encoding?: { readonly type: string; readonly version: string };
  /** MATLAB's class and size. */
  readonly class?: string;
  readonly size?: readonly number[];
  /** The layout of a matrix, if it is not the default layout. */
  readonly layout?: "coordinate" | "list" | "dense" | "columns";
  readonly [key: string]: unknown;
}

export interface SparseMetadata extends CommonMetadata {
  readonly kind: "csr_matrix" | "csc_matrix";
  /** The axis along which positions never decrease. */
  readonly order?: "row" | "column";
  /** Integer types of the stored arrays, such as `int32`. */
  readonly indices?: string;
  readonly indptr?: string;
}

export interface DataframeMetadata extends CommonMetadata {
  readonly kind: "dataframe";
  /** Name of the index column. */
  readonly index?: string;
  /** Mappings that are missing from the file; only for `obs`. */
  readonly absent?: readonly string[];
  /**
   * The axis that the modalities of a MuData share: 0 for observations, 1 for variables, -1 for both. Only for the
   * MuData's own `obs`.
   */
  readonly axis?: number;
}

export interface NumbersMetadata extends CommonMetadata {
  readonly kind: "array" | "numeric-scalar" | "rec-array" | "nullable-integer" | "nullable-boolean";
  /** Members of an HDF5 enum with their values, and their stored type. */
  readonly members?: unknown;
  readonly base?: unknown;
  /** numpy's unit for datetime64 and timedelta64, and the number of these units in one tick. */
  readonly unit?: string;
  readonly step?: number;
  /** Stored dimensions of a scalar, such as `[1]` from R. */
  readonly dims?: readonly number[];
}

export interface TextMetadata extends CommonMetadata {
  readonly kind: "string" | "string-array" | "nullable-string-array";
  /** Storage of text of fixed width. */
  readonly storage?: unknown;
  /** The missing value of a `nullable-string-array`, as stored. */
  readonly "na-value"?: unknown;
  readonly dims?: readonly number[];
}

export interface CategoricalMetadata extends CommonMetadata {
  readonly kind: "categorical";
  /** `int64` or `uint64`, if the stored codes are wider than the index of the Dictionary. */
  readonly codes?: string;
  /** The metadata of the categories. */
  readonly categories?: { readonly kind: string; readonly [key: string]: unknown };
}

export interface RaggedMetadata extends CommonMetadata {
  readonly kind: "awkward-array";
  /** The form of an Awkward Array, as JSON. */
  readonly form?: unknown;
}

/** The edges of a Loom graph, in no particular order. */
export interface GraphMetadata extends CommonMetadata {
  readonly kind: "coo_matrix";
}

export interface FragmentsMetadata extends CommonMetadata {
  readonly kind: "fragments";
  /** Version of a BPCells store, and the number of bits that its arrays store per value. */
  readonly version?: string;
  readonly bits?: { readonly cell: number; readonly start: number; readonly end: number };
}

/** The nodes of a mapping, as the table `uns`. */
export interface MappingMetadata extends CommonMetadata {
  readonly kind: "dict";
}

export interface NullMetadata extends CommonMetadata {
  readonly kind: "null";
}

/** Values of MATLAB classes, and tables from files that declare no kind. */
export interface ValuesMetadata extends CommonMetadata {
  readonly kind:
    | "bytes"
    | "calendarDuration"
    | "cell"
    | "datetime"
    | "duration"
    | "json"
    | "map"
    | "missing"
    | "struct"
    | "table";
}

/**
 * The metadata of a table; `kind` determines the details. A file can contain a kind that is not listed here, so a
 * `switch` needs a `default`.
 * @example
 * ```ts
 * const { metadata } = data.table("X");
 * if (metadata.kind === "csr_matrix") console.log(metadata.order);
 * ```
 */
export type ElementMetadata =
  | SparseMetadata
  | DataframeMetadata
  | NumbersMetadata
  | TextMetadata
  | CategoricalMetadata
  | RaggedMetadata
  | GraphMetadata
  | FragmentsMetadata
  | MappingMetadata
  | NullMetadata
  | ValuesMetadata;

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isNumber: Check = (value) => typeof value === "number";
const isNumbers: Check = (value) => Array.isArray(value) && value.every(isNumber);
const hasKeys =
  (keys: readonly string[], check: Check): Check =>
  (value) =>
    typeof value === "object" &&
    value !== null &&
    keys.every((key) => check(Object.getOwnPropertyDescriptor(value, key)?.value));

/** Types of the details that are common to all kinds. */
const COMMON: Readonly<Record<string, Check>> = {
  shape: isNumbers,
  class: isText,
  size: isNumbers,
  encoding: hasKeys(["type", "version"], isText),
  layout: (value) => ["coordinate", "list", "dense", "columns"].some((layout) => layout === value),
};

const ARRAY = { unit: isText, step: isNumber, dims: isNumbers };
const SPARSE = { order: (value: unknown) => value === "row" || value === "column", indices: isText, indptr: isText };
const TEXT = { dims: isNumbers };

/** Types of the details that belong to a single kind. */
const OF_KIND = new Map<string, Readonly<Record<string, Check>>>([
  ["csr_matrix", SPARSE],
  ["csc_matrix", SPARSE],
  ["dataframe", { index: isText, absent: (value) => Array.isArray(value) && value.every(isText), axis: isNumber }],
  ["array", ARRAY],
  ["numeric-scalar", ARRAY],
  ["rec-array", ARRAY],
  ["nullable-integer", ARRAY],
  ["nullable-boolean", ARRAY],
  ["string", TEXT],
  ["string-array", TEXT],
  ["nullable-string-array", TEXT],
  ["categorical", { codes: isText, categories: hasKeys(["kind"], isText) }],
  ["fragments", { version: isText, bits: hasKeys(["cell", "start", "end"], isNumber) }],
]);

/** Returns the metadata without details that have an unexpected type, since files may contain arbitrary values. */
export function toElementMetadata(stored: TableMetadata): ElementMetadata {
  const checks = { ...COMMON, ...OF_KIND.get(stored.kind) };
  const isRight = (key: string, value: unknown) => !Object.hasOwn(checks, key) || checks[key](value);
  if (isElement(stored, isRight)) return stored;
  const right = Object.fromEntries(Object.entries(stored).filter(([key, value]) => isRight(key, value)));
  return toElementMetadata({ ...right, kind: stored.kind });
}

function isElement(
  stored: TableMetadata,
  isRight: (key: string, value: unknown) => boolean,
): stored is ElementMetadata {
  return Object.entries(stored).every(([key, value]) => isRight(key, value));
}

/**
 * Maximum size of the manifest of a directory of tables, in bytes. A parsed manifest takes four times as much memory.
 * Even the manifest for a union of tens of thousands of datasets stays below this limit.
 */
export const MAX_MANIFEST_BYTES = 2 ** 27;
