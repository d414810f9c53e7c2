/** An AnnData file that is much larger than its metadata, written by libhdf5. */

import { File, type Group, ready } from "h5wasm";

export const CELLS = 50_000;
export const GENES = 1_000;
/** Stored values of each cell. */
export const PER_CELL = 50;

/** Values in a chunk of the matrix. */
export const CHUNK = 1 << 15;

/** The value of stored value `k` of a cell, and its gene. */
export const valueAt = (cell: number, k: number) => cell + k / 128;
export const geneAt = (cell: number, k: number) => (cell % 10) + 10 * k;

function element(
  group: Group,
  name: string,
  type: string,
  attributes: Record<string, string | string[] | number[]> = {},
) {
  const made = name === "" ? group : group.create_group(name);
  made.create_attribute("encoding-type", type);
  made.create_attribute("encoding-version", type === "dataframe" ? "0.2.0" : "0.1.0");
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "shape") made.create_attribute(key, value, null, "<i8");
    else made.create_attribute(key, value);
  }
  return made;
}

function column(group: Group, name: string, data: Int32Array | Float32Array | string[], chunk = 4096) {
  const made = group.create_dataset({ name, data, chunks: [Math.min(chunk, data.length)] });
  made.create_attribute("encoding-type", typeof data[0] === "string" ? "string-array" : "array");
  made.create_attribute("encoding-version", "0.2.0");
}

function frame(root: Group, name: string, rows: number, prefix: string, columns: readonly string[]) {
  const attributes = { _index: "_index", "column-order": [...columns] };
  const group = element(root, name, "dataframe", attributes);
  column(
    group,
    "_index",
    Array.from({ length: rows }, (_, i) => `${prefix}${i}`),
  );
  columns.forEach((key, at) => {
    column(
      group,
      key,
      Float32Array.from({ length: rows }, (_, i) => i + at),
    );
  });
}

/** A CSR matrix of 2,500,000 stored values (20 MB), `obs` with text and 10 columns, `var` with text. */
export async function largeH5ad(): Promise<Uint8Array> {
  const library = await ready;
  const path = "/large.h5ad";
  const file = new File(path, "w");
  element(file, "", "anndata");
  const x = element(file, "X", "csr_matrix", { shape: [CELLS, GENES] });
  const count = CELLS * PER_CELL;
  const data = new Float32Array(count);
  const indices = new Int32Array(count);
  for (let cell = 0, at = 0; cell < CELLS; cell++) {
    for (let k = 0; k < PER_CELL; k++, at++) {
      data[at] = valueAt(cell, k);
      indices[at] = geneAt(cell, k);
    }
  }
  column(x, "data", data, CHUNK);
  column(x, "indices", indices, CHUNK);
  column(
    x,
    "indptr",
    Int32Array.from({ length: CELLS + 1 }, (_, i) => PER_CELL * i),
  );
  const names = Array.from({ length: 10 }, (_, i) => `score${i}`);
  frame(file, "obs", CELLS, "cell", names);
  frame(file, "var", GENES, "gene", []);
  for (const name of ["obsm", "varm", "obsp", "varp", "layers", "uns"]) element(file, name, "dict");
  file.close();
  const bytes: unknown = library.FS.readFile(path);
  library.FS.unlink(path);
  if (!(bytes instanceof Uint8Array)) throw new Error("h5wasm wrote no file");
  return bytes;
}
