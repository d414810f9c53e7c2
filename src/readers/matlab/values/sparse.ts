/** Reads sparse matrices in CSC format, with values `data`, row indices `ir` and pointers `jc`. */

import type { Group, StoredArray } from "../../../containers/tree/container.js";
import { InvalidDataError, NotFoundError, UnsupportedError } from "../../../model/errors.js";
import type { StoredType } from "../../../model/stored.js";
import { listChildNames, openChild } from "../../reader.js";
import { getAttributeMetadata, getMatlabClass, getMatlabInteger } from "./attributes.js";
import type { MatlabContext } from "./context.js";
import { emptyArray } from "./memory-array.js";
import { findNumericType, readNumericValue, withComplex } from "./numeric.js";
import type { SparseValue } from "./value.js";

const INDEX: StoredType = { kind: "int", bits: 64, signed: false };

/**
 * Opens a sparse matrix.
 * @throws {InvalidDataError} if the arrays do not fit together; {NotFoundError} if `jc` is missing.
 */
export async function openSparseValue(group: Group, cx: MatlabContext): Promise<SparseValue> {
  const rows = getMatlabInteger(group, "MATLAB_sparse");
  if (rows === null || rows < 0) throw new InvalidDataError("MATLAB_sparse is no number of rows");
  if (!Number.isSafeInteger(rows)) throw new UnsupportedError(`a sparse matrix of ${rows} rows`);
  const name = getMatlabClass(group) ?? "double";
  const keys = await listChildNames(group, cx);
  const member = async (key: string): Promise<StoredArray | null> => {
    if (!keys.includes(key)) return null;
    const node = await openChild(group, key, cx);
    if (node.kind === "array" && node.shape?.length === 1) return node;
    throw new InvalidDataError(`${key} is no list`, { element: node.path });
  };
  const [jc, ir, data] = [await member("jc"), await member("ir"), await member("data")];
  return await createSparseValue(
    { path: group.path, name, rows, metadata: getAttributeMetadata(group), jc, ir, data },
    cx,
  );
}

interface SparseParts extends Pick<SparseValue, "metadata"> {
  readonly path: string;
  readonly name: string;
  readonly rows: number;
  readonly jc: StoredArray | null;
  /** Null if the matrix has no entries. */
  readonly ir: StoredArray | null;
  readonly data: StoredArray | null;
}

/** Makes a sparse matrix from its parts. @throws the errors of `openSparseValue`. */
export async function createSparseValue(parts: SparseParts, cx: MatlabContext): Promise<SparseValue> {
  const { path, name, rows, jc, ir, data } = parts;
  if (jc === null) throw new NotFoundError("a sparse matrix without jc");
  const columns = (jc.shape?.[0] ?? 0) - 1;
  if (columns < 0)
    throw new InvalidDataError("jc is empty: a matrix of n columns has n + 1 of them", { element: jc.path });
  const nnz = await pointer(jc, columns, cx);
  const first = await pointer(jc, 0, cx);
  if (first !== 0) throw new InvalidDataError(`jc begins with ${first}, not with 0`, { element: jc.path });
  for (const [key, array] of [
    ["ir", ir],
    ["data", data],
  ] as const) {
    const found = array?.shape?.[0] ?? 0;
    if (found < nnz) throw new InvalidDataError(`${key} has ${found} values, jc ends with ${nnz}`);
  }
  if ((ir?.shape?.[0] ?? 0) !== (data?.shape?.[0] ?? 0)) {
    throw new InvalidDataError(`ir has ${ir?.shape?.[0] ?? 0} values, data has ${data?.shape?.[0] ?? 0}`);
  }
  const size = [rows, columns] as const;
  const values = await sparseData(name, data);
  const nzmax = data?.shape?.[0] ?? 0;
  const matrix = {
    ...({ shape: size, order: "column", nnz, data: values.array, indptr: jc } as const),
    indices: ir ?? emptyArray(`${path}/ir`, INDEX, [0]),
  };
  const metadata = { ...parts.metadata, ...values.metadata, ...(nzmax === nnz ? {} : { nzmax }) };
  return { kind: "sparse", class: name, size, metadata, matrix };
}

async function pointer(jc: StoredArray, at: number, cx: MatlabContext): Promise<number> {
  const read = await cx.concurrency.run(() => jc.read(at, at + 1, cx.options));
  const value = read.kind === "fixed" ? Number(read.values[0]) : Number.NaN;
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new InvalidDataError(`jc holds ${value}`, { element: jc.path });
}

async function sparseData(name: string, data: StoredArray | null) {
  if (data === null) {
    return { array: emptyArray("", findNumericType(name) ?? { kind: "float", bits: 64 }, [0]), metadata: {} };
  }
  // The class determines the type of the values, because a matrix without values may have no array for them.
  const { type, metadata } = await readNumericValue(name, data);
  const { notLogical } = metadata;
  const array = withComplex(data);
  const more = notLogical === undefined ? {} : { notLogical };
  if (type.kind !== "bool" || array.type.kind === "bool") return { array, metadata: more };
  return { array: array.capabilities?.view?.({ form: "flat", bool: true }) ?? array, metadata: more };
}
