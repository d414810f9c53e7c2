/**
 * The manifest of a companion: `manifest.json` in its folder. Each matrix has a folder of arrays next to the manifest.
 * The arrays are stored like a packed BPCells matrix, along the axis that the source does not use for storage.
 */

import type { NumberFileType } from "../../containers/arrays/array-file.js";
import { InvalidDataError } from "../../model/errors.js";
import { isJsonObject, parseJsonObject } from "../../model/json-object.js";
import type { StoredType } from "../../model/stored.js";
import { parseIdentity, type SourceIdentity } from "./identity.js";

export const MANIFEST = "manifest.json";

/** Maximum size of a manifest in bytes. Larger manifests are not read. */
export const MAX_GENE_INDEX_MANIFEST_BYTES = 2 ** 22;

const GENE_INDEX_VERSION = 1;

/** Value types that a source can have. */
export type CopiedType = Extract<StoredType, { readonly kind: "bool" | "int" | "float" }>;

/** Value types of the copy. Whole numbers are packed; all other numbers keep their bits. */
export type PackedType = "uint" | "float" | "double";

export interface GeneIndexMatrix {
  readonly name: string;
  /** Path of the matrix's pointers in its file. It identifies the matrix. */
  readonly pointers: string;
  readonly shape: readonly [rows: number, columns: number];
  /** The order of the copy. */
  readonly order: "row" | "column";
  readonly nnz: number;
  /** Type of the values in the source, such as `float32`. */
  readonly value: string;
  readonly packed: PackedType;
  /**
   * True if the positions in each row (or column) of the source are in ascending order. In that case, the copy
   * determines the order of the entries.
   */
  readonly sorted: boolean;
  /** Number of values of each array. */
  readonly arrays: ReadonlyMap<string, number>;
}

export interface GeneIndexManifest {
  /** Name of the source, for display. */
  readonly source: string;
  readonly identity: SourceIdentity;
  /**
   * The folder that contains the matrices. Each version of the source has a different folder, so a reader never mixes
   * two versions.
   */
  readonly folder: string;
  readonly matrices: readonly GeneIndexMatrix[];
}

const UINT32: NumberFileType = { kind: "int", bits: 32, signed: false };
const UINT64: NumberFileType = { kind: "int", bits: 64, signed: false };

/** Returns the names and types of the arrays that contain the numbers of a matrix. */
export function getMatrixArrayTypes(packed: PackedType): ReadonlyMap<string, NumberFileType> {
  const parts = (name: string): [string, NumberFileType][] => [
    [`${name}_data`, UINT32],
    [`${name}_idx`, UINT32],
    [`${name}_idx_offsets`, UINT64],
  ];
  const values: [string, NumberFileType][] =
    packed === "uint" ? parts("val") : [["val", { kind: "float", bits: packed === "float" ? 32 : 64 }]];
  return new Map<string, NumberFileType>([...parts("index"), ["index_starts", UINT32], ...values, ["idxptr", UINT64]]);
}

export function countMatrixBytes({ packed, arrays }: Pick<GeneIndexMatrix, "packed" | "arrays">): number {
  let bytes = 0;
  for (const [name, { bits }] of getMatrixArrayTypes(packed))
    bytes += countNumberFileBytes(arrays.get(name) ?? 0, bits);
  return bytes;
}

export function countCompanionBytes({ matrices }: GeneIndexManifest): number {
  return matrices.reduce((sum, matrix) => sum + countMatrixBytes(matrix), 0);
}

/** Returns the size in bytes of a file with `count` numbers after a header of eight bytes. */
export function countNumberFileBytes(count: number, bits: number): number {
  return 8 + (count * bits) / 8;
}

/** Returns the folder of a matrix in its companion's folder. */
export function getMatrixFolder({ folder, matrices }: GeneIndexManifest, matrix: GeneIndexMatrix): string {
  return `${folder}/${matrices.indexOf(matrix)}`;
}

/** Returns the type of values that can be copied; null for other types. */
export function findCopiedType(type: StoredType): CopiedType | null {
  return type.kind === "bool" || type.kind === "int" || type.kind === "float" ? type : null;
}

export function formatCopiedType(type: CopiedType): string {
  switch (type.kind) {
    case "bool":
      return "bool";
    case "int":
      return `${type.signed ? "" : "u"}int${type.bits}`;
    case "float":
      return `float${type.bits}`;
    default:
      return type satisfies never;
  }
}

export function encodeCompanionManifest({ source, identity, folder, matrices }: GeneIndexManifest): string {
  const listed = matrices.map(({ arrays, ...matrix }) => ({ ...matrix, arrays: Object.fromEntries(arrays) }));
  const content = { annarrow: "companion", version: GENE_INDEX_VERSION, source, identity, folder, matrices: listed };
  return `${JSON.stringify(content, null, 1)}\n`;
}

/**
 * Parses a manifest.
 * @throws {InvalidDataError} if the text is not a valid manifest.
 */
export function parseCompanionManifest(text: string): GeneIndexManifest {
  const content = parseJsonObject(text);
  if (content?.annarrow !== "companion") throw new InvalidDataError("its manifest is that of no companion");
  if (content.version !== GENE_INDEX_VERSION) {
    throw new InvalidDataError(
      `its manifest has version ${JSON.stringify(content.version)}, not ${GENE_INDEX_VERSION}`,
    );
  }
  const { source, folder, matrices } = content;
  const identity = parseIdentity(content.identity);
  const isWhole = typeof source === "string" && identity !== null && Array.isArray(matrices);
  if (!isWhole || typeof folder !== "string" || !/^[0-9a-f]{1,32}$/.test(folder)) {
    throw new InvalidDataError("its manifest is incomplete");
  }
  return { source, identity, folder, matrices: matrices.map((matrix, i) => parsedMatrix(matrix, i)) };
}

function parsedMatrix(value: unknown, at: number): GeneIndexMatrix {
  if (isJsonObject(value)) {
    const { name, pointers, shape, order, nnz, value: type, packed, sorted, arrays } = value;
    const isText = typeof name === "string" && typeof pointers === "string" && typeof type === "string";
    const isOrder = order === "row" || order === "column";
    const isPacked = packed === "uint" || packed === "float" || packed === "double";
    if (isText && isOrder && isPacked && isCount(nnz) && typeof sorted === "boolean" && isShape(shape)) {
      const counts = isJsonObject(arrays) ? countsOf(arrays, packed) : null;
      if (counts !== null) {
        return { name, pointers, shape: [shape[0], shape[1]], order, nnz, value: type, packed, sorted, arrays: counts };
      }
    }
  }
  throw new InvalidDataError(`matrix ${at} of its manifest is incomplete`);
}

function countsOf(arrays: Readonly<Record<string, unknown>>, packed: PackedType): ReadonlyMap<string, number> | null {
  const counts = new Map<string, number>();
  for (const name of getMatrixArrayTypes(packed).keys()) {
    const count = arrays[name];
    if (!isCount(count)) return null;
    counts.set(name, count);
  }
  return counts;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function isShape(value: unknown): value is readonly [number, number] {
  return Array.isArray(value) && value.length === 2 && value.every(isCount);
}
