/**
 * The manifest of a companion: `manifest.json` in its folder. Every matrix is a folder of arrays beside it, as BPCells
 * stores a packed matrix, in the order in which the source does not store it.
 */

import type { NumberFileType } from "../containers/arrays/array-file.js";
import { InvalidDataError } from "../model/errors.js";
import { isJsonObject, parseJsonObject } from "../model/json-object.js";
import type { StoredType } from "../model/stored.js";
import { parsedIdentity, type SourceIdentity } from "./identity.js";

export const MANIFEST = "manifest.json";

/** Largest manifest that is read. */
export const MOST_MANIFEST_BYTES = 2 ** 22;

export const COMPANION_VERSION = 1;

/** Types that the values of a source can have. */
export type CopiedType = Extract<StoredType, { readonly kind: "bool" | "int" | "float" }>;

/** Types that the values are stored in: whole numbers are packed, others keep their bits. */
export type PackedType = "uint" | "float" | "double";

export interface CompanionMatrix {
  /** Name of the element. */
  readonly name: string;
  /** Path of the pointers of the matrix in its file, which tells matrices apart. */
  readonly pointers: string;
  readonly shape: readonly [rows: number, columns: number];
  /** The order of the copy. */
  readonly order: "row" | "column";
  readonly nnz: number;
  /** Type of the values in the source, as `float32`. */
  readonly value: string;
  readonly packed: PackedType;
  /** Whether the entries of each row (column) of the source rise: then the copy tells their order. */
  readonly sorted: boolean;
  /** Numbers of values of the arrays. */
  readonly arrays: ReadonlyMap<string, number>;
}

export interface CompanionManifest {
  /** Name of the source, for people. */
  readonly source: string;
  readonly identity: SourceIdentity;
  /** The folder of the matrices, which differs for every version of the source: a reader mixes no two of them. */
  readonly folder: string;
  readonly matrices: readonly CompanionMatrix[];
}

const UINT32: NumberFileType = { kind: "int", bits: 32, signed: false };
const UINT64: NumberFileType = { kind: "int", bits: 64, signed: false };

/** The arrays of numbers of a matrix that has values of a type, with their types. */
export function arrayTypes(packed: PackedType): ReadonlyMap<string, NumberFileType> {
  const parts = (name: string): [string, NumberFileType][] => [
    [`${name}_data`, UINT32],
    [`${name}_idx`, UINT32],
    [`${name}_idx_offsets`, UINT64],
  ];
  const values: [string, NumberFileType][] =
    packed === "uint" ? parts("val") : [["val", { kind: "float", bits: packed === "float" ? 32 : 64 }]];
  return new Map<string, NumberFileType>([...parts("index"), ["index_starts", UINT32], ...values, ["idxptr", UINT64]]);
}

/** Bytes of the files of a matrix' arrays. */
export function bytesOfMatrix({ packed, arrays }: Pick<CompanionMatrix, "packed" | "arrays">): number {
  let bytes = 0;
  for (const [name, { bits }] of arrayTypes(packed)) bytes += fileBytes(arrays.get(name) ?? 0, bits);
  return bytes;
}

/** Bytes of all matrices of a companion. */
export function bytesOfCompanion({ matrices }: CompanionManifest): number {
  return matrices.reduce((sum, matrix) => sum + bytesOfMatrix(matrix), 0);
}

/** Bytes of a file of `count` numbers, behind a header of eight bytes. */
export function fileBytes(count: number, bits: number): number {
  return 8 + (count * bits) / 8;
}

/** The folder of a matrix within that of its companion. */
export function matrixFolder({ folder, matrices }: CompanionManifest, matrix: CompanionMatrix): string {
  return `${folder}/${matrices.indexOf(matrix)}`;
}

/** The type of values that can be copied; null for others. */
export function copiedType(type: StoredType): CopiedType | null {
  return type.kind === "bool" || type.kind === "int" || type.kind === "float" ? type : null;
}

export function copiedTypeText(type: CopiedType): string {
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

export function manifestText({ source, identity, folder, matrices }: CompanionManifest): string {
  const listed = matrices.map(({ arrays, ...matrix }) => ({ ...matrix, arrays: Object.fromEntries(arrays) }));
  const content = { annarrow: "companion", version: COMPANION_VERSION, source, identity, folder, matrices: listed };
  return `${JSON.stringify(content, null, 1)}\n`;
}

/**
 * Parses a manifest.
 * @throws {InvalidDataError} for another content.
 */
export function parsedManifest(text: string): CompanionManifest {
  const content = parseJsonObject(text);
  if (content?.annarrow !== "companion") throw new InvalidDataError("its manifest is that of no companion");
  if (content.version !== COMPANION_VERSION) {
    throw new InvalidDataError(`its manifest has version ${JSON.stringify(content.version)}, not ${COMPANION_VERSION}`);
  }
  const { source, folder, matrices } = content;
  const identity = parsedIdentity(content.identity);
  const isWhole = typeof source === "string" && identity !== null && Array.isArray(matrices);
  if (!isWhole || typeof folder !== "string" || !/^[0-9a-f]{1,32}$/.test(folder)) {
    throw new InvalidDataError("its manifest is incomplete");
  }
  return { source, identity, folder, matrices: matrices.map((matrix, i) => parsedMatrix(matrix, i)) };
}

function parsedMatrix(value: unknown, at: number): CompanionMatrix {
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
  for (const name of arrayTypes(packed).keys()) {
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
