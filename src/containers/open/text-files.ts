/**
 * Error messages for unsupported text files: matrices (Matrix Market), either alone or in Cell Ranger folders, and
 * tables (CSV, TSV).
 */

import type { ByteSource, ReadOptions } from "../../io/sources/source.js";

/** The first line of a Matrix Market file. */
const BANNER = "%%MatrixMarket";

const FOLDER =
  "scanpy.read_10x_mtx in Python, or Read10X of Seurat in R, reads the folder, and annarrow the .h5ad or .rds that is saved from it";
const BESIDE =
  "Cell Ranger writes the same matrix beside the folder as .h5 (filtered_feature_bc_matrix.h5), which is read";

/** Returns the error text for a folder that contains a matrix in a text file; null for other folders. */
export function detectMatrixFolder(names: readonly string[]): string | null {
  const matrix = names.find(isMatrixName);
  if (matrix === undefined) return null;
  const others = names.filter((name) => /(barcodes|features|genes)\.tsv(\.gz)?$/i.test(name));
  return `a folder with a matrix as text (${[matrix, ...others].slice(0, 3).join(", ")}), which is not read: ${BESIDE}; else ${FOLDER}`;
}

/**
 * Returns the error text for a matrix in a text file; null for other files. The file is detected by its first line or,
 * if it is compressed, by its name.
 */
export async function detectMatrixText(source: ByteSource, options: ReadOptions): Promise<string | null> {
  const bytes = await source.read(0, Math.min(BANNER.length, source.size), options);
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  if (new TextDecoder("latin1").decode(bytes) !== BANNER && !(isGzip && isMatrixName(source.name))) return null;
  return `a matrix as text (Matrix Market), which is not read: ${BESIDE}; else ${FOLDER}`;
}

/** Returns the error text for a file that is named like a text table; null for other files. */
export function detectTableText({ name }: Pick<ByteSource, "name">): string | null {
  if (!/\.(csv|tsv|tab|txt)(\.gz)?$/i.test(name)) return null;
  return "a table as text, which is not read: save it as Parquet, as pandas.read_csv(…).to_parquet(…) does, or copy (from '….csv') to '….parquet' in DuckDB";
}

const isMatrixName = (name: string) => /\.mtx(\.gz)?$/i.test(name);
