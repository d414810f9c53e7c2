/** Makes the files of all tasks visible: one new manifest, in one step. */

import { textColumnOf } from "../arrow/text.js";
import { InvalidDataError, InvalidInputError } from "../model/errors.js";
import { encodeSegment } from "../sinks/directory/table-files.js";
import { columnParquet } from "../sinks/parquet/plain-parquet.js";
import type { ReadOptions } from "../sources/source.js";
import { CODEC } from "./frame-files.js";
import { parseManifest, type UnionDataset, type UnionManifest } from "./manifest-document.js";
import type { UnionPlan } from "./plan-document.js";
import { parseReport, type TaskReport, type UnionPart } from "./report-document.js";
import { MANIFEST, type UnionStore } from "./store.js";
import { reportPath } from "./task.node.js";
import { textsOfFile } from "./text-file.node.js";
import { unionTables } from "./union-tables.js";

/** The manifest of a union; null where there is none. */
export async function manifestOf(store: UnionStore, options: ReadOptions = {}): Promise<Known | null> {
  const text = await store.text(MANIFEST, options);
  return text === null ? null : { text, manifest: parseManifest(text, `${store.name}/${MANIFEST}`) };
}

/** A manifest, and the text that a commit replaces. */
export interface Known {
  readonly text: string;
  readonly manifest: UnionManifest;
}

/**
 * Checks that every task has done its part, and adds the datasets of the plan to the union.
 * @throws {InvalidInputError} for tasks that have not run, and where another commit came first.
 * @throws {InvalidDataError} where the reports and the plan differ.
 */
export async function commitPlan(
  plan: UnionPlan,
  store: UnionStore,
  options: ReadOptions = {},
): Promise<UnionManifest> {
  const known = await manifestOf(store, options);
  const present = known?.manifest.union.commit ?? 0;
  // A commit that is repeated has been made.
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
      ...{ version: 1, commit, varKey: plan.varKey, matrices: plan.matrices, obs: plan.obs, var: plan.var },
      nextRow: plan.inputs.reduce(
        (next, { firstRow, rows }) => Math.max(next, firstRow + rows),
        before?.union.nextRow ?? 0,
      ),
      datasets,
      notes: [...(before?.union.notes ?? []), ...plan.notes],
    },
    ...unionTables({
      datasets,
      matrices: plan.matrices.map(({ name }) => name),
      features: plan.features,
      parts: [...partsIn(before), ...parts],
      categories: await categoryFiles(plan, before, reports, store, options),
    }),
  } satisfies UnionManifest;
  await store.replaceManifest(known?.text ?? null, `${JSON.stringify(manifest)}\n`, options);
  return manifest;
}

/** Whether all datasets of the plan are there, from the commit that it would make. */
function isCommitted(plan: UnionPlan, { union }: UnionManifest): boolean {
  const found = new Map(union.datasets.map((dataset) => [dataset.id, dataset]));
  return plan.inputs.every(({ id, source, firstRow }) => {
    const dataset = found.get(id);
    return dataset?.source === source && dataset.commit === plan.base + 1 && dataset.range[0] === firstRow;
  });
}

/** The files of all tables but var. */
export function partsIn(manifest: UnionManifest | null): readonly UnionPart[] {
  return (manifest?.tables ?? []).flatMap(({ name, parts }) =>
    parts.flatMap(({ dataset, range, shift: _, ...part }) =>
      dataset === undefined || range === undefined ? [] : [{ ...part, table: name, dataset, range }],
    ),
  );
}

async function allReports(plan: UnionPlan, store: UnionStore, options: ReadOptions): Promise<readonly TaskReport[]> {
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

/** @throws {InvalidDataError} where files do not cover the inputs, each row and each stored entry once. */
function checkParts(plan: UnionPlan, parts: readonly UnionPart[], source: string): void {
  for (const { id, rows, firstRow, entries } of plan.inputs) {
    const own = parts.filter(({ dataset }) => dataset === id);
    const tables = new Map([["obs", rows], ...Object.entries(entries)]);
    for (const [table, expected] of tables) {
      const files = own.filter((part) => part.table === table).sort((a, b) => a.range[0] - b.range[0]);
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

/** Files that are looked at together. */
const AT_ONCE = 64;

async function checkFiles(parts: readonly UnionPart[], store: UnionStore, options: ReadOptions): Promise<void> {
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

/** Files with the categories that each column of obs has in all datasets, in the order in which they are first seen. */
async function categoryFiles(
  plan: UnionPlan,
  before: UnionManifest | null,
  reports: readonly TaskReport[],
  store: UnionStore,
  options: ReadOptions,
): Promise<Readonly<Record<string, string>>> {
  const files: Record<string, string> = {};
  const known = new Map(plan.inputs.map(({ id }, i) => [id, i]));
  const reported = reports
    .flatMap(({ categories }) => categories)
    .sort((a, b) => (known.get(a.dataset) ?? 0) - (known.get(b.dataset) ?? 0));
  const ids = plan.inputs.map(({ id }) => id);
  const earlier = before?.tables.find(({ name }) => name === "obs")?.categories ?? {};
  for (const { name, type } of [{ name: "dataset_id", type: { id: "Dictionary" } }, ...plan.obs]) {
    if (type.id !== "Dictionary") continue;
    const own =
      name === "dataset_id" ? ids : reported.filter(({ column }) => column === name).flatMap((one) => one.values);
    const first =
      earlier[name] === undefined ? [] : await textsOfFile(`${store.name}/${earlier[name]}`, "value", options);
    const all = [...new Set([...first, ...own])];
    const { file } = await store.add(
      (hash) => `obs.categories/${encodeSegment(name)}-${hash}.parquet`,
      columnParquet(textColumnOf(all), CODEC),
      options,
    );
    Object.defineProperty(files, name, { value: file, enumerable: true });
  }
  return files;
}
