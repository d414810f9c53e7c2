/** Files of the var table, with features in the order of the columns. */

import { InvalidDataError } from "annarrow";
import { createTextColumn } from "annarrow/core/arrow";
import type { ConvertedRows } from "annarrow/core/concat";
import type { StoredOptions } from "annarrow/node/api";
import type { FeatureRegistry } from "./features.js";
import { encodeVarFile } from "./frame-files.js";
import { readFrameRows } from "./frame-rows.js";
import { openInput, type TakenElements } from "./inputs.node.js";
import type { FlatField } from "./json-types.js";
import type { FeatureFile } from "./plan-document.js";
import type { UnionStore } from "./store.js";
import { readTextColumn } from "./text-file.node.js";
import type { UnionOptions } from "./union-options.js";

const FOLDER = "var";

/**
 * Adds the features of the files to the registry.
 * @throws {InvalidDataError} if the number of features in a file differs from the known number.
 */
export async function readFeatures(
  store: UnionStore,
  files: readonly FeatureFile[],
  registry: FeatureRegistry,
  options: StoredOptions = {},
): Promise<void> {
  for (const { file, rows } of files) {
    const source = `${store.name}/${file}`;
    const found = registry.addKnown([createTextColumn(await readTextColumn(source, "_index", options))]);
    if (found !== rows) throw new InvalidDataError(`${found} features, expected ${rows}`, { source });
  }
}

interface NewFeatures {
  readonly source: string;
  /** Positions in the input, in ascending order. */
  readonly positions: Int32Array;
}

interface Features {
  readonly taken: TakenElements;
  readonly columns: readonly FlatField[];
  /** The column of the first new feature. */
  readonly first: number;
}

/** Writes the new features of all inputs to a single file. Writes no file if there are none. */
export async function writeFeatures(
  store: UnionStore,
  added: readonly NewFeatures[],
  { taken, columns, first }: Features,
  options: UnionOptions,
): Promise<readonly FeatureFile[]> {
  const count = added.reduce((sum, { positions }) => sum + positions.length, 0);
  if (count === 0) return [];
  async function* rows(): AsyncGenerator<ConvertedRows> {
    for (const { source, positions } of added) {
      const input = await openInput(source, taken, options);
      try {
        yield* readFrameRows(input.var, columns, { positions, namedBy: taken.varKey, signal: options.signal });
      } finally {
        await input.close();
      }
    }
  }
  const { file, bytes, sha256 } = await store.add(
    (hash) => `${FOLDER}/${hash}.parquet`,
    encodeVarFile(rows(), columns, first, options.signal),
    options,
  );
  // Properties have the same order as in a parsed plan, so that direct commits and commits by tasks write equal
  // manifests.
  return [{ file, rows: count, bytes, sha256 }];
}
