/** Locations where companions may exist. A location is accessed only when a companion is needed. */

import type { KeyValueSource, ReadOptions } from "../../io/sources/source.js";
import { MANIFEST, MAX_GENE_INDEX_MANIFEST_BYTES } from "./manifest.js";

/** A folder that may contain a companion. */
export interface GeneIndexLocation {
  readonly isWeb: boolean;
  /** Opens the folder, and reads its manifest; null if there is no manifest. */
  open(options: ReadOptions): Promise<OpenedGeneIndex | null>;
}

export interface OpenedGeneIndex {
  /** Path or URL of the folder. */
  readonly name: string;
  readonly source: KeyValueSource;
  readonly manifest: Uint8Array;
}

/** Reads the manifest of a folder; null if it has none. */
export async function openCompanionFolder(
  name: string,
  source: KeyValueSource,
  options: ReadOptions,
): Promise<OpenedGeneIndex | null> {
  const manifest = await source.get(MANIFEST, { ...options, most: MAX_GENE_INDEX_MANIFEST_BYTES });
  if (manifest !== undefined) return { name, source, manifest };
  await source.close();
  return null;
}
