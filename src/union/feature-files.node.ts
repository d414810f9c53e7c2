/** The files of the table var: features in the order of their columns. */

import type { StoredOptions } from "../api/open.node.js";
import { textColumnOf } from "../arrow/text.js";
import { InvalidDataError } from "../model/errors.js";
import type { FeatureRegistry } from "./features.js";
import { varFile } from "./frame-files.js";
import { type FrameRows, frameRows } from "./frame-rows.js";
import { openInput, type TakenElements } from "./inputs.node.js";
import type { FlatField } from "./json-types.js";
import type { FeatureFile } from "./plan-document.js";
import type { UnionStore } from "./store.js";
import { textsOfFile } from "./text-file.node.js";
import type { UnionOptions } from "./union-options.js";

/** Folder of the table var. */
const FOLDER = "var";

/**
 * Gives the registry the features of the files.
 * @throws {InvalidDataError} where a file has another number of features than is known.
 */
export async function readFeatures(
  store: UnionStore,
  files: readonly FeatureFile[],
  registry: FeatureRegistry,
  options: StoredOptions = {},
): Promise<void> {
  for (const { file, rows } of files) {
    const source = `${store.name}/${file}`;
    const found = registry.addKnown([textColumnOf(await textsOfFile(source, "_index", options))]);
    if (found !== rows) throw new InvalidDataError(`${found} features, expected ${rows}`, { source });
  }
}

/** New features of an input. */
interface NewFeatures {
  readonly source: string;
  /** Their positions in the input, which rise. */
  readonly positions: Int32Array;
}

interface Features {
  readonly taken: TakenElements;
  readonly columns: readonly FlatField[];
  /** The column of the first new feature. */
  readonly first: number;
}

/** Writes the new features of all inputs as one file; no file where there are none. */
export async function writeFeatures(
  store: UnionStore,
  added: readonly NewFeatures[],
  { taken, columns, first }: Features,
  options: UnionOptions,
): Promise<readonly FeatureFile[]> {
  const count = added.reduce((sum, { positions }) => sum + positions.length, 0);
  if (count === 0) return [];
  async function* rows(): AsyncGenerator<FrameRows> {
    for (const { source, positions } of added) {
      const input = await openInput(source, taken, options);
      try {
        yield* frameRows(input.var, columns, { positions, namedBy: taken.varKey, signal: options.signal });
      } finally {
        await input.close();
      }
    }
  }
  const { file, bytes, sha256 } = await store.add(
    (hash) => `${FOLDER}/${hash}.parquet`,
    varFile(rows(), columns, first, options.signal),
    options,
  );
  // In the order of a plan that was parsed, so that a commit in one command and one by tasks write equal manifests.
  return [{ file, rows: count, bytes, sha256 }];
}
