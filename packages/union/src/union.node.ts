/** `union` combines many datasets into one folder of Parquet files, in one call or as tasks for a scheduler. */

import { resolve } from "node:path";
import { isCloudAddress } from "@annarrow/cloud";
import { InvalidInputError, isAnnarrowError, NotFoundError, UnsupportedError } from "annarrow";
import { checkOptions, createInputKeys, findNearestNames, hasScheme } from "annarrow/core/model";
import { commitPlan, readUnionManifest, type StoredManifest } from "./commit.node.js";
import { LocalStore } from "./local-store.node.js";
import type { UnionManifest } from "./manifest-document.js";
import { planInputs } from "./plan.node.js";
import type { UnionPlan } from "./plan-document.js";
import type { TaskReport } from "./report-document.js";
import { MANIFEST, TASKS, type UnionStore } from "./store.js";
import { runTask } from "./task.node.js";
import {
  COMMIT_OPTIONS,
  type CommitOptions,
  UNION_ACCESS_OPTIONS,
  UNION_OPTIONS,
  type UnionAccess,
  type UnionOptions,
} from "./union-options.js";
import { getUnionFeatures, listUnionParts, unionTables } from "./union-tables.js";
import { createViewsSql, type ViewEngine } from "./views.js";

/** A union after a commit. */
export interface UnionResult {
  /** [observations, features]. */
  readonly shape: readonly [number, number];
  readonly datasets: number;
  /** Messages about widened, filled, renamed and omitted columns. */
  readonly warnings: readonly string[];
}

/**
 * Combines many datasets into one: a folder of Parquet files with `manifest.json`, which `open`, DuckDB, Polars,
 * pyarrow and Spark can read. Each feature key gets a stable column, and each observation gets a global row number.
 * The folder becomes a dataset only when all files have been written.
 * @param inputs paths and addresses.
 * @param output path of the folder, or its address in an object store: `s3://bucket/atlas/`.
 * @param options.add adds the inputs to the existing union.
 * @example
 * ```ts
 * await union(["a.h5ad", "b.h5ad"], "atlas/", { elements: { X: "layers/counts" }, varKey: "gene_id" });
 * await using atlas = await open("atlas/");
 * ```
 * @throws {InvalidInputError} for incompatible inputs, before any values are read.
 * @throws the error of the first input that cannot be read, unless `skipBroken` is set.
 */
export async function union(
  inputs: readonly string[],
  output: string,
  given: UnionOptions & CommitOptions & { readonly add?: boolean } = {},
): Promise<UnionResult> {
  checkOptions(given, "union", { ...UNION_OPTIONS, ...COMMIT_OPTIONS, add: true });
  const { add = false, ...options } = given;
  const added: string[] = [];
  const store = await storeAt(output, options, (path) => added.push(path));
  const known = await readUnionManifest(store, options);
  if (known !== null && !add) {
    throw new InvalidInputError("a union is there already: add to it with add (annarrow union add)", {
      source: output,
    });
  }
  if (known === null && add) throw new NotFoundError("no union is there to add to", { source: output });
  let isCommitting = false;
  try {
    const plan = await planned(inputs, store, known, options);
    for (const task of plan.tasks.keys()) {
      await runTask(plan, task, store, options);
      options.onProgress?.({ element: "tasks", done: task + 1, total: plan.tasks.length, unit: "tasks" });
    }
    isCommitting = true;
    const manifest = await commitPlan(plan, store, options);
    // The reports are no longer needed; a failure to remove them does not fail the commit.
    await store.remove(added.filter((path) => path.startsWith(`${TASKS}/`))).catch(() => undefined);
    return resultOf(manifest, plan);
  } catch (error) {
    // An object store may have stored the manifest although its answer was lost. In that case, the files must remain.
    const isRefused = isAnnarrowError(error, "InvalidInputError");
    if (!isCommitting || isRefused) await removeUnlisted(added, store).catch(() => undefined);
    throw error;
  }
}

/**
 * Plans a union. Its tasks can then run on any machine, in any order, and repeatedly. Planning reads the metadata of
 * all inputs and writes the new features.
 * @example
 * ```ts
 * const plan = await planUnion(inputs, "atlas/", { tasks: 200 });
 * await runUnionTask(plan, 17);
 * await commitUnion(plan);
 * ```
 * @throws as `union`.
 */
export async function planUnion(
  inputs: readonly string[],
  output: string,
  options: UnionOptions = {},
): Promise<UnionPlan> {
  checkOptions(options, "planUnion", UNION_OPTIONS);
  const store = await storeAt(output, options);
  return planned(inputs, store, await readUnionManifest(store, options), options);
}

/**
 * Runs one task of a plan. Running it twice, or on two machines at once, produces the same files.
 * @throws {InvalidDataError} for an input that has changed since it was planned.
 */
export async function runUnionTask(plan: UnionPlan, task: number, options: UnionOptions = {}): Promise<TaskReport> {
  checkOptions(options, "runUnionTask", UNION_OPTIONS);
  return runTask(plan, task, await storeAt(plan.output, options), options);
}

/**
 * Makes a plan's datasets visible in one step, after all of its tasks have run.
 * @throws {InvalidInputError} for tasks that have not run, and if another commit came first.
 * @throws {InvalidDataError} if the files differ from the plan.
 */
export async function commitUnion(plan: UnionPlan, options: CommitOptions = {}): Promise<UnionResult> {
  checkOptions(options, "commitUnion", COMMIT_OPTIONS);
  return resultOf(await commitPlan(plan, await storeAt(plan.output, options), options), plan);
}

/**
 * Removes datasets from a union by name. Afterwards, new readers see the union without them. Their files remain until
 * `cleanUnion` is called, because readers that started earlier may still need them.
 * @throws {NotFoundError} for an unknown dataset.
 * @throws {InvalidInputError} if no dataset would be left, or if another commit came first.
 */
export async function removeFromUnion(
  output: string,
  ids: readonly string[],
  options: UnionAccess = {},
): Promise<UnionResult> {
  checkOptions(options, "removeFromUnion", UNION_ACCESS_OPTIONS);
  const store = await storeAt(output, options);
  const known = await readUnionManifest(store, options);
  if (known === null) throw new NotFoundError("no union is here", { source: store.name });
  const { manifest } = known;
  const { union, tables } = manifest;
  const names = union.datasets.map(({ id }) => id);
  for (const id of ids) {
    if (names.includes(id)) continue;
    throw new NotFoundError(
      `no dataset ${JSON.stringify(id)}; did you mean ${findNearestNames(id, names).join(", ")}?`,
      { source: store.name },
    );
  }
  const datasets = union.datasets.filter(({ id }) => !ids.includes(id));
  if (datasets.length === 0)
    throw new InvalidInputError("no dataset would be left: remove the folder", { source: store.name });
  const obs = tables.find(({ name }) => name === "obs");
  const after = {
    ...manifest,
    union: { ...union, datasets, commit: union.commit + 1 },
    ...unionTables({
      ...{ datasets, order: union.order, matrices: union.matrices, arrays: union.arrays },
      features: getUnionFeatures(manifest),
      parts: listUnionParts(manifest),
      categories: obs?.categories ?? {},
    }),
  } satisfies UnionManifest;
  await store.replaceManifest(known.text, `${JSON.stringify(after)}\n`, options);
  return resultOf(after, null);
}

/**
 * Removes files that a union does not list, which come from removed datasets, abandoned plans and killed tasks. No task
 * may run at the same time.
 * @returns the paths of the removed files, relative to the folder.
 */
export async function cleanUnion(output: string, options: UnionAccess = {}): Promise<readonly string[]> {
  checkOptions(options, "cleanUnion", UNION_ACCESS_OPTIONS);
  const store = await storeAt(output, options);
  return removeUnlisted(await store.list("", options), store, options);
}

/**
 * Returns SQL statements that create a view for each of a union's tables, for engines that do not read the manifest.
 * @throws {NotFoundError} if there is no union.
 */
export async function unionViews(output: string, engine: ViewEngine, options: UnionAccess = {}): Promise<string> {
  const store = await storeAt(output, options);
  const known = await readUnionManifest(store, options);
  if (known === null) throw new NotFoundError("no union is here", { source: store.name });
  return createViewsSql(known.manifest, store.name, engine);
}

async function planned(
  inputs: readonly string[],
  store: UnionStore,
  known: StoredManifest | null,
  options: UnionOptions,
): Promise<UnionPlan> {
  const { ids = createInputKeys(inputs) } = options;
  if (ids.length !== inputs.length) throw new InvalidInputError(`${ids.length} names for ${inputs.length} datasets`);
  const sources = inputs.map((source, i) => ({ id: ids[i], source: isLocal(source) ? resolve(source) : source }));
  return planInputs(sources, store, known?.manifest ?? null, options);
}

const isLocal = (path: string) => !hasScheme(path);

/** @param onAdd called for each new file. */
async function storeAt(output: string, access: UnionAccess, onAdd?: (path: string) => void): Promise<UnionStore> {
  if (isLocal(output)) return new LocalStore(resolve(output), onAdd);
  if (isCloudAddress(output)) {
    const { openCloudUnionStore } = await import("./cloud-store.node.js");
    return openCloudUnionStore(output, access, onAdd);
  }
  throw new UnsupportedError("a union is written to a folder, or to s3://, gs:// or az://", { source: output });
}

function resultOf({ shape, union }: UnionManifest, plan: UnionPlan | null): UnionResult {
  return { shape, datasets: union.datasets.length, warnings: plan?.notes ?? [] };
}

/**
 * Removes files that the manifest does not list.
 * @param paths the files that may be removed.
 * @returns the paths of the removed files.
 */
async function removeUnlisted(
  paths: readonly string[],
  store: UnionStore,
  options: UnionAccess = {},
): Promise<readonly string[]> {
  const known = await readUnionManifest(store, options);
  const kept = new Set([MANIFEST]);
  for (const { parts, categories } of known?.manifest.tables ?? []) {
    for (const { file } of parts) kept.add(file);
    for (const file of Object.values(categories ?? {})) kept.add(file);
  }
  const left = paths.filter((path) => !kept.has(path));
  await store.remove(left, options);
  return left;
}
