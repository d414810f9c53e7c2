/** What becomes of a damaged file that is converted: a named error, or a file that reads as any other. */

import { open } from "../../src/api/open.node.js";
import { type FileFormat, writeBytes } from "../../src/api/write.js";
import { isAnnarrowError } from "../../src/model/errors.js";
import { type Reading, readDataset } from "./read-everything.js";

/** Larger ones are the caller's own choice: of a dense matrix every value is looked at. */
const MAX_VALUES = 1e6;

/** What each format is converted to, one of these at a time. */
const TARGETS: ReadonlyMap<string, readonly FileFormat[]> = new Map([
  ["anndata", ["h5ad", "loom", "zarr.zip"]],
  ["loom", ["h5ad", "loom"]],
  ["10x", ["h5ad", "loom"]],
  ["mudata", ["h5mu"]],
]);

/** The formats that a file of `format` is converted to; none where such files are only read. */
export function targetsOf(format: string): readonly FileFormat[] {
  return TARGETS.get(format) ?? [];
}

/** Converts, with losses, and reads the result. What is not converted because of its size has nothing in it. */
export async function readConverted(input: Uint8Array, to: FileFormat): Promise<Reading> {
  const nothing: Reading = { found: new Map(), errors: [], unreadable: [], wrong: [] };
  let bytes: Uint8Array;
  try {
    const dataset = await open(input);
    try {
      // Damage may have made another format of it.
      const sizes = [...dataset.tables.values()].map(({ rows }) => rows ?? 0);
      const [rows, cols] = dataset.shape ?? [0, 0];
      if (rows * cols > MAX_VALUES || sizes.some((size) => size > MAX_VALUES)) return nothing;
      if (!targetsOf(dataset.format).includes(to)) return nothing;
      bytes = await writeBytes(to, dataset, { lossy: true });
    } finally {
      await dataset.close();
    }
  } catch (error) {
    return { ...nothing, errors: [error] };
  }
  const reading = await readDataset(bytes, false);
  // What we wrote ourselves has no damage.
  for (const error of reading.errors) {
    if (isAnnarrowError(error)) reading.wrong.push(`what was written as ${to}: ${error.message}`);
  }
  // The time of writing.
  for (const name of ["attrs/CreationDate", "attrs"]) reading.found.delete(name);
  return reading;
}
