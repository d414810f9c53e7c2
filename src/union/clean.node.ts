/** Removes datasets from a union, and files that no manifest lists. */

import { InvalidInputError, NotFoundError } from "../model/errors.js";
import { nearest } from "../model/nearest.js";
import { manifestOf } from "./commit.node.js";
import type { UnionManifest } from "./manifest-document.js";
import { MANIFEST, type UnionStore } from "./store.js";
import type { UnionAccess } from "./union-options.js";
import { featuresIn, partsIn, unionTables } from "./union-tables.js";

/**
 * Removes datasets: a commit after which no reader sees their rows. Their files stay until `cleanFiles`, for readers that
 * began before.
 * @throws {NotFoundError} for a dataset that is not there.
 * @throws {InvalidInputError} where no dataset would be left, and where another commit came first.
 */
export async function removeDatasets(
  ids: readonly string[],
  store: UnionStore,
  options: UnionAccess = {},
): Promise<UnionManifest> {
  const known = await manifestOf(store, options);
  if (known === null) throw new NotFoundError("no union is here", { source: store.name });
  const { manifest } = known;
  const { union, tables } = manifest;
  const names = union.datasets.map(({ id }) => id);
  for (const id of ids) {
    if (names.includes(id)) continue;
    throw new NotFoundError(`no dataset ${JSON.stringify(id)}; did you mean ${nearest(id, names).join(", ")}?`, {
      source: store.name,
    });
  }
  const datasets = union.datasets.filter(({ id }) => !ids.includes(id));
  if (datasets.length === 0)
    throw new InvalidInputError("no dataset would be left: remove the folder", { source: store.name });
  const obs = tables.find(({ name }) => name === "obs");
  const after = {
    ...manifest,
    union: { ...union, datasets, commit: union.commit + 1 },
    ...unionTables({
      datasets,
      order: union.order,
      matrices: union.matrices.map(({ name }) => name),
      arrays: union.arrays.map(({ name }) => name),
      features: featuresIn(manifest),
      parts: partsIn(manifest),
      categories: obs?.categories ?? {},
    }),
  } satisfies UnionManifest;
  await store.replaceManifest(known.text, `${JSON.stringify(after)}\n`, options);
  return after;
}

/**
 * Removes the files that the manifest does not list: of removed datasets, of plans that were not committed, and of killed
 * processes. No task may run meanwhile.
 * @returns the paths of the removed files.
 */
export async function cleanFiles(store: UnionStore, options: UnionAccess = {}): Promise<readonly string[]> {
  return removeUnlisted(await store.list("", options), store, options);
}

/**
 * Removes files that the manifest does not list.
 * @param paths the files that may be removed.
 * @returns the paths of the removed files.
 */
export async function removeUnlisted(
  paths: readonly string[],
  store: UnionStore,
  options: UnionAccess = {},
): Promise<readonly string[]> {
  const known = await manifestOf(store, options);
  const kept = new Set([MANIFEST]);
  for (const { parts, categories } of known?.manifest.tables ?? []) {
    for (const { file } of parts) kept.add(file);
    for (const file of Object.values(categories ?? {})) kept.add(file);
  }
  const left = paths.filter((path) => !kept.has(path));
  await store.remove(left, options);
  return left;
}
