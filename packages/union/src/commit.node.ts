/** Makes the files of all tasks visible in one step, by writing a new manifest. */

import { InvalidDataError, InvalidInputError, UnsupportedError } from "annarrow";
import { createTextColumn } from "annarrow/core/arrow";
import { MAX_MANIFEST_BYTES } from "annarrow/core/model";
import { encodeColumnParquet, encodeSegment } from "annarrow/core/sinks";
import { CODEC } from "./frame-files.js";
import { parseManifest, type UnionDataset, type UnionManifest } from "./manifest-document.js";
import type { UnionPlan } from "./plan-document.js";
import { parseReport, type TaskReport, type UnionPart } from "./report-document.js";
import { MANIFEST, type UnionStore } from "./store.js";
import { reportPath } from "./task.node.js";
import { readTextColumn } from "./text-file.node.js";
import { type CommitOptions, getUnionAccess, type UnionAccess } from "./union-options.js";
import { listUnionParts, unionTables } from "./union-tables.js";

/** Reads the manifest of a union; null if there is none. */
export async function readUnionManifest(store: UnionStore, options: UnionAccess = {}): Promise<StoredManifest | null> {
  checkManifestSize((await store.size(MANIFEST, options)) ?? 0, store.name);
  const text = await store.text(MANIFEST, options);
  return text === null ? null : { text, manifest: parseManifest(text, `${store.name}/${MANIFEST}`) };
}

/** @throws {UnsupportedError} if the manifest is too large for readers to parse. */
function checkManifestSize(bytes: number, source: string): void {
  if (bytes <= MAX_MANIFEST_BYTES) return;
  throw new UnsupportedError(`${MANIFEST} has ${bytes} bytes, at most ${MAX_MANIFEST_BYTES}`, { source });
}

/** A manifest, and the text that a commit replaces. */
export interface StoredManifest {
  readonly text: string;
  readonly manifest: UnionManifest;
}

/**
 * Checks that every task is complete, and adds the plan's datasets to the union.
 * @throws {InvalidInputError} for tasks that have not run, and if another commit came first.
 * @throws {InvalidDataError} if the reports and the plan differ.
 */
export async function commitPlan(
  plan: UnionPlan,
  store: UnionStore,
  given: CommitOptions = {},
): Promise<UnionManifest> {
  const options = getUnionAccess(given);
  const known = await readUnionManifest(store, options);
  const present = known?.manifest.union.commit ?? 0;
  // A repeated commit has nothing left to do.
  if (known !== null && isCommitted(plan, known.manifest)) return known.manifest;
  if (present !== plan.base) {
    throw new InvalidInputError(
      `the plan adds to commit ${plan.base}, and the union has commit ${present} by now: plan again`,
      { source: store.name },
    );
  }
  const reports = await allReports(plan, store, options);
  const parts = reports.flatMap((report) => report.parts);
  checkParts(plan, parts, store.name);
  await checkFiles(parts, store, options);
  if (given.verify) await (await import("./verify.node.js")).verifyParts(plan, parts, store, given);
  const before = known?.manifest ?? null;
  const commit = present + 1;
  const added: UnionDataset[] = plan.inputs.map(({ id, source, identity, rows, features, firstRow }) => ({
    ...{ id, source, identity, features, commit },
    range: [firstRow, firstRow + rows],
  }));
  const datasets = [...(before?.union.datasets ?? []), ...added];
  const manifest = {
    annarrow: 1,
    format: "anndata",
    formatVersion: "",
    container: "parquet",
    union: {
      ...{ version: 1, commit, varKey: plan.varKey, order: plan.order },
      taken: before?.union.taken ?? { main: plan.main, layers: plan.layers, modality: plan.modality },
      ...{ matrices: plan.matrices, arrays: plan.arrays, obs: plan.obs, var: plan.var },
      nextRow: plan.inputs.reduce(
        (next, { firstRow, rows }) => Math.max(next, firstRow + rows),
        before?.union.nextRow ?? 0,
      ),
      datasets,
      notes: [...(before?.union.notes ?? []), ...plan.notes],
    },
    ...unionTables({
      ...{ datasets, order: plan.order, matrices: plan.matrices, arrays: plan.arrays, features: plan.features },
      parts: [...listUnionParts(before), ...parts],
      categories: await categoryFiles(plan, before, reports, store, options),
    }),
  } satisfies UnionManifest;
  const text = `${JSON.stringify(manifest)}\n`;
  checkManifestSize(Buffer.byteLength(text), store.name);
  await store.replaceManifest(known?.text ?? null, text, options);
  return manifest;
}

/**
 * True if the union contains all datasets of the plan, and the commit that added them is the one this plan would make.
 */
function isCommitted(plan: UnionPlan, { union }: UnionManifest): boolean {
  const found = new Map(union.datasets.map((dataset) => [dataset.id, dataset]));
  return plan.inputs.every(({ id, source, firstRow }) => {
    const dataset = found.get(id);
    return dataset?.source === source && dataset.commit === plan.base + 1 && dataset.range[0] === firstRow;
  });
}

async function allReports(plan: UnionPlan, store: UnionStore, options: UnionAccess): Promise<readonly TaskReport[]> {
  const reports: TaskReport[] = [];
  const missing: number[] = [];
  for (const task of plan.tasks.keys()) {
    const path = reportPath(plan, task);
    const text = await store.text(path, options);
    if (text === null) missing.push(task);
    else reports.push(parseReport(text, `${store.name}/${path}`));
  }
  if (missing.length === 0) return reports;
  const some = `${missing.slice(0, 20).join(", ")}${missing.length > 20 ? ", …" : ""}`;
  throw new InvalidInputError(`${missing.length} of ${plan.tasks.length} tasks have not run to their end: ${some}`, {
    source: store.name,
  });
}

/** @throws {InvalidDataError} unless the files contain each row and each stored entry of the inputs exactly once. */
function checkParts(plan: UnionPlan, parts: readonly UnionPart[], source: string): void {
  const byTable = new Map<string, UnionPart[]>();
  const keyOf = (dataset: string, table: string) => JSON.stringify([dataset, table]);
  for (const part of parts) {
    const key = keyOf(part.dataset, part.table);
    const own = byTable.get(key) ?? [];
    own.push(part);
    byTable.set(key, own);
  }
  for (const { id, rows, firstRow, entries } of plan.inputs) {
    const arrays = Object.fromEntries(plan.arrays.map(({ name }) => [name, rows]));
    for (const [table, expected] of Object.entries({ obs: rows, ...arrays, ...entries })) {
      const files = (byTable.get(keyOf(id, table)) ?? []).sort((a, b) => a.range[0] - b.range[0]);
      let next = firstRow;
      for (const { range, file } of files) {
        if (range[0] !== next) throw wrong(`${file} begins with row ${range[0]}, expected ${next}`);
        next = range[1];
      }
      if (next !== firstRow + rows) throw wrong(`${table} of ${id} ends with row ${next}, expected ${firstRow + rows}`);
      const found = files.reduce((sum, part) => sum + part.rows, 0);
      if (expected !== null && found !== expected) {
        throw wrong(`${table} of ${id} has ${found} rows, expected ${expected}`);
      }
    }
  }
  function wrong(problem: string): InvalidDataError {
    return new InvalidDataError(`the tasks have not written what was planned: ${problem}`, { source });
  }
}

/** Number of files checked concurrently. */
const AT_ONCE = 64;

async function checkFiles(parts: readonly UnionPart[], store: UnionStore, options: UnionAccess): Promise<void> {
  for (let first = 0; first < parts.length; first += AT_ONCE) {
    await Promise.all(
      parts.slice(first, first + AT_ONCE).map(async ({ file, bytes }) => {
        const size = await store.size(file, options);
        if (size === bytes) return;
        throw new InvalidDataError(
          size === null ? "the file is gone: run its task again" : `${size} bytes, expected ${bytes}`,
          { source: `${store.name}/${file}` },
        );
      }),
    );
  }
}

/** Writes the categories of each obs column over all datasets, in the order of first appearance. */
async function categoryFiles(
  plan: UnionPlan,
  before: UnionManifest | null,
  reports: readonly TaskReport[],
  store: UnionStore,
  options: UnionAccess,
): Promise<Readonly<Record<string, string>>> {
  const inputs = new Map(plan.inputs.map(({ id }, i) => [id, i]));
  const reported = reports
    .flatMap(({ categories }) => categories)
    .sort((a, b) => (inputs.get(a.dataset) ?? 0) - (inputs.get(b.dataset) ?? 0));
  const columns = new Map([["dataset_id", new Set(inputs.keys())]]);
  for (const { name, type } of plan.obs) if (type.id === "Dictionary") columns.set(name, new Set());
  for (const { column, values } of reported) for (const value of values) columns.get(column)?.add(value);
  const earlier = before?.tables.find(({ name }) => name === "obs")?.categories ?? {};
  const files: Record<string, string> = {};
  for (const [name, own] of columns) {
    const first =
      earlier[name] === undefined ? [] : await readTextColumn(`${store.name}/${earlier[name]}`, "value", options);
    const all = [...new Set([...first, ...own])];
    const { file } = await store.add(
      (hash) => `obs.categories/${encodeSegment(name)}-${hash}.parquet`,
      encodeColumnParquet(createTextColumn(all), CODEC),
      options,
    );
    Object.defineProperty(files, name, { value: file, enumerable: true });
  }
  return files;
}
