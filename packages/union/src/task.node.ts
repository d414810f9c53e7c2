/** Runs a task of a plan: converts rows of some inputs to files of the union. Can be repeated safely. */

import { InvalidDataError, InvalidInputError } from "annarrow";
import type { ConvertedRows } from "annarrow/core/concat";
import { processConcurrently } from "annarrow/core/kernels";
import { runWithLocation } from "annarrow/core/model";
import { findIdentityDifference } from "annarrow/core/query";
import { encodeSegment } from "annarrow/core/sinks";
import { toNames } from "annarrow/core/tables";
import type { StoredOptions } from "annarrow/node/api";
import { encodeArrayFile } from "./arrays.js";
import { readFeatures } from "./feature-files.node.js";
import { FeatureRegistry } from "./features.js";
import { encodeObsFile, encodePresenceFile } from "./frame-files.js";
import { createRangePositions, readFrameRows } from "./frame-rows.js";
import { openInput, type UnionInput } from "./inputs.node.js";
import { encodeMatrixFile, type UnionMatrixLocation } from "./matrix-files.js";
import type { PlannedInput, TaskRange, UnionPlan } from "./plan-document.js";
import { PRESENCE, type TaskReport, type UnionPart } from "./report-document.js";
import { TASKS, type UnionStore } from "./store.js";
import { getUnionAccess } from "./union-options.js";

/**
 * Number of pieces that are read concurrently. While workers read the matrix of one piece, the next piece is opened,
 * and its dataframe is read.
 */
const PIECES_AT_ONCE = 3;

export function reportPath(plan: UnionPlan, task: number): string {
  return `${TASKS}/${plan.id}/${task}.json`;
}

interface Running {
  readonly plan: UnionPlan;
  readonly store: UnionStore;
  readonly registry: FeatureRegistry;
  readonly options: StoredOptions;
}

/**
 * Runs a task, and writes its report for the commit.
 * @throws {InvalidInputError} for an invalid task number.
 * @throws {InvalidDataError} for an input that has changed since it was planned.
 */
export async function runTask(
  plan: UnionPlan,
  task: number,
  store: UnionStore,
  options: StoredOptions = {},
): Promise<TaskReport> {
  const pieces = plan.tasks[task];
  if (pieces === undefined) {
    throw new InvalidInputError(`no task ${task}: the plan has the tasks 0 to ${plan.tasks.length - 1}`);
  }
  const registry = new FeatureRegistry();
  await readFeatures(store, plan.features.files, registry, getUnionAccess(options));
  const running = { plan, store, registry, options };
  const done: Awaited<ReturnType<typeof runPiece>>[] = [];
  await processConcurrently(pieces.entries(), PIECES_AT_ONCE, async ([i, piece]) => {
    options.signal?.throwIfAborted();
    done[i] = await runPiece(piece, running);
  });
  const parts = done.flatMap((piece) => piece.parts);
  const categories = done.flatMap((piece) => piece.categories);
  const report: TaskReport = { annarrow: "union task", version: 1, plan: plan.id, task, parts, categories };
  await store.put(reportPath(plan, task), `${JSON.stringify(report)}\n`, options);
  return report;
}

async function runPiece(piece: TaskRange, running: Running): Promise<Pick<TaskReport, "parts" | "categories">> {
  const { plan, options } = running;
  const planned = plan.inputs[piece.input];
  return runWithLocation({ source: planned.source }, async () => {
    const input = await openInput(planned.source, plan, options);
    try {
      await checkPlanned(input, planned);
      const rows = await writePiece(input, planned, piece, running);
      await input.checkUnchanged();
      return rows;
    } finally {
      await input.close();
    }
  });
}

/** @throws {InvalidDataError} if the input is not the same as when it was planned. */
export async function checkPlanned(input: UnionInput, planned: PlannedInput): Promise<void> {
  const { source, shape } = input;
  const now = await input.identity();
  const problem =
    planned.identity === null || now === null ? null : await findIdentityDifference(planned.identity, now, null);
  if (problem !== null) {
    throw new InvalidDataError(`it has changed since the union was planned: ${problem}`, {
      source,
      code: "source-changed",
    });
  }
  const [rows, features] = shape;
  if (rows === planned.rows && features === planned.features) return;
  throw new InvalidDataError(
    `it has ${rows} observations and ${features} features, planned were ${planned.rows} and ${planned.features}`,
    { source, code: "source-changed" },
  );
}

async function writePiece(
  input: UnionInput,
  planned: PlannedInput,
  { rows: [start, end] }: TaskRange,
  { plan, store, registry, options }: Running,
): Promise<Pick<TaskReport, "parts" | "categories">> {
  const { signal } = options;
  const { id, firstRow } = planned;
  const first = firstRow + start;
  const parts: UnionPart[] = [];
  const write = async (
    table: string,
    chunks: AsyncIterable<Uint8Array>,
    totals: () => Pick<UnionPart, "rows" | "sum">,
  ) => {
    const written = await store.add(
      (hash) => `${table}/${encodeSegment(id)}/${first}-${hash}.parquet`,
      chunks,
      options,
    );
    parts.push({ table, dataset: id, range: [first, firstRow + end], ...totals(), ...written });
  };
  const positions = createRangePositions([start, end], planned.rows);
  const dictionaries = new Map<string, readonly string[]>();
  const obs = noted(readFrameRows(input.obs, plan.obs, { positions, namedBy: null, signal }), plan, dictionaries);
  await write("obs", encodeObsFile(obs, { columns: plan.obs, dataset: id, first }, signal), () => ({
    rows: end - start,
  }));
  const columns = registry.columnsOf(await input.keys(), input.source);
  for (const { name, type } of plan.matrices) {
    const table = input.tables.get(name);
    if (table === undefined || planned.entries[name] === undefined) continue;
    const place: UnionMatrixLocation = {
      ...{ type, order: plan.order, width: plan.features.count, columns, first, signal },
      ...{ shape: input.shape, rows: [start, end] },
    };
    const { chunks, totals } = await encodeMatrixFile(table, input.source, place);
    await write(name, chunks, () => {
      const { rows, sum } = totals();
      return { rows, sum: Number.isFinite(sum) ? sum : null };
    });
  }
  for (const array of plan.arrays) {
    const chunks = encodeArrayFile(input.tables.get(array.name) ?? null, array, {
      ...{ rows: [start, end], total: planned.rows, first, signal },
    });
    await write(array.name, chunks, () => ({ rows: end - start }));
  }
  // Data about the whole dataset are reported only once, with its first rows.
  if (start > 0) return { parts, categories: [] };
  await write(PRESENCE, encodePresenceFile(id, columns, signal), () => ({ rows: columns.length }));
  const categories = [...dictionaries].map(([column, values]) => ({ dataset: id, column, values: [...values] }));
  return { parts, categories };
}

/** Yields the batches, and collects the categories of their columns. */
async function* noted(
  rows: AsyncIterable<ConvertedRows>,
  { obs }: UnionPlan,
  found: Map<string, readonly string[]>,
): AsyncGenerator<ConvertedRows> {
  for await (const batch of rows) {
    for (const [i, { name }] of obs.entries()) {
      const column = batch.columns[i];
      if (column.layout !== "dictionary" || found.has(name)) continue;
      found.set(name, toNames(column.dictionary));
    }
    yield batch;
  }
}
