/**
 * Reads an R object. Experiments and Seurat objects are read under AnnData's names; frames, matrices, lists and vectors
 * are read as tables. No R code in the object is run.
 */

import { NotFoundError, UnsupportedError } from "annarrow";
import type { ReadPlans } from "annarrow/core/readers";
import { isRdsContainer } from "../../containers/rds/container.js";
import type { RCharacter, RList, RValue } from "../../containers/rds/model/value.js";
import { getModalityPath } from "../seurat-names.js";
import { besideDimensions } from "./collect/names-beside.js";
import { RTables } from "./collect/tables.js";
import { createColumnTable, isMatrix, type OpenStored } from "./matrices/forms.js";
import { openRMatrix } from "./matrices/matrix.js";
import {
  addExperiment,
  addHolder,
  getMainExperimentName,
  isExperiment,
  listAlternativeExperiments,
} from "./objects/experiment.js";
import { addSeurat, getSeuratVersion, isSeurat } from "./objects/seurat.js";
import { createRCharacter, isFrame, toRFrame } from "./values/frame.js";
import { describeRValue, getRClasses, getRList, listNamedElements, makeUniqueNames } from "./values/value.js";

/**
 * Makes the reader of R objects.
 * @param openStored opens a BPCells matrix.
 */
export function createRReader(openStored: OpenStored): ReadPlans {
  return async (root, reading) => {
    const { container } = reading;
    const value = isRdsContainer(container) ? container.valueOf(root.id) : undefined;
    if (value === undefined) throw new UnsupportedError(`R objects are read of R files, not of ${container.kind}`);
    const tables = new RTables({ reading, openStored });
    await addRoot(value, tables);
    const plans = tables.plans(versionOf(value));
    const [failure] = plans.failures.values();
    if (plans.tables.length === 0) throw failure ?? new NotFoundError(`nothing to read: ${describeRValue(value)}`);
    return plans;
  };
}

function versionOf(value: RValue): string {
  const datasets = value.kind === "list" ? datasetsIn(value) : [];
  if (datasets.length === 1) return versionOf(datasets[0].value);
  const [name] = getRClasses(value);
  if (name === undefined) return "";
  return isSeurat(value) ? `${name} ${getSeuratVersion(value)}`.trim() : name;
}

/** Whether a value is a complete annotated dataset. */
function isAnnotated(value: RValue): boolean {
  return isExperiment(value) || isSeurat(value);
}

async function addRoot(value: RValue, tables: RTables): Promise<void> {
  if (isAnnotated(value)) return addAnnotated(value, "", tables);
  if (isFrame(value)) {
    await tables.frame("value", toRFrame(value));
    await tables.beside("value", value);
    return;
  }
  if (isMatrix(value)) {
    await addMatrix(value, tables);
    await tables.beside("matrix", value);
    // Titles of the row and column dimensions, as in a table of counts.
    for (const [name, titles] of besideDimensions(value)) {
      if (name === "dimnames") await tables.value(`matrix.${name}`, titles);
    }
  } else if (value.kind === "list" || (value.kind === "s4" && value.slots.has("listData"))) {
    await addList(getRList(value, "a list"), tables);
    await tables.beside("value", value);
  } else await tables.value("value", value);
}

async function addAnnotated(value: RValue, prefix: string, tables: RTables): Promise<void> {
  if (isSeurat(value)) return addSeurat(value, prefix, tables);
  const others = await alternativesOf(value, prefix, tables);
  if (others.length === 0) await addExperiment(value, prefix, tables);
  else
    await addModalities(
      { value, others },
      getModalityPath(prefix, getMainExperimentName(value) ?? "main"),
      prefix,
      tables,
      null,
    );
}

interface Experiment {
  readonly value: RValue;
  /** The dataset's alternative experiments by name. */
  readonly others: ReturnType<typeof listAlternativeExperiments>;
}

async function alternativesOf(value: RValue, prefix: string, tables: RTables): Promise<Experiment["others"]> {
  return (await tables.attempt(`${prefix}altExps`, async () => listAlternativeExperiments(value))) ?? [];
}

/** Maximum nesting of alternative experiments. */
const MAX_DEPTH = 16;

/**
 * Adds an experiment and, beside it, its alternative experiments. They have the same cells, and R gives them the cell
 * names of the main experiment.
 * @param prefix the path prefix of the experiment.
 * @param above the path below which the alternative experiments are named.
 * @param cells the names of the cells; null if the experiment itself defines them.
 */
async function addModalities(
  { value, others }: Experiment,
  prefix: string,
  above: string,
  tables: RTables,
  cells: RCharacter | null,
  depth = 0,
): Promise<void> {
  const names = await addExperiment(value, prefix, tables, cells);
  for (const alternative of others) {
    const { name, value: other } = alternative;
    const own = getModalityPath(above, name);
    await tables.attempt(own.slice(0, -1), async () => {
      if (depth === MAX_DEPTH) throw new UnsupportedError(`experiments in experiments, more than ${MAX_DEPTH} deep`);
      if (!isExperiment(other)) throw new UnsupportedError(`${describeRValue(other)}, no experiment`);
      const further = await alternativesOf(other, own, tables);
      await addModalities({ value: other, others: further }, own, own, tables, names, depth + 1);
      await addHolder(alternative, own, tables);
    });
  }
}

/** Adds an object that is itself a matrix, with its row and column names. Features are rows, as is usual in R. */
async function addMatrix(value: RValue, tables: RTables): Promise<void> {
  await tables.attempt("matrix", async () => {
    const matrix = await openRMatrix(value, "matrix", tables.cx);
    await tables.add("matrix", () => matrix.table("matrix", "same"));
    for (const [axis, name] of ["row_names", "col_names"].entries()) {
      const names = matrix.names[axis];
      if (names !== null) await tables.add(name, () => createColumnTable(name, { ...names, attributes: new Map() }));
    }
  });
}

/**
 * Adds the elements of a list. Datasets in the list and in nested lists become modalities, so that the caller can
 * choose one. A single dataset becomes the whole dataset, and the list's other elements go to its `uns`.
 */
async function addList(list: RList, tables: RTables): Promise<void> {
  const datasets = datasetsIn(list);
  const names = makeUniqueNames(datasets.map(({ path }) => path.join(".").replaceAll("/", "_")));
  for (const [i, { value }] of datasets.entries()) {
    if (datasets.length === 1) await tables.attempt(names[i], () => addAnnotated(value, "", tables));
    else await tables.attempt(`mod/${names[i]}`, () => addAnnotated(value, `mod/${names[i]}/`, tables));
  }
  const found = new Set(datasets.map(({ value }) => value));
  const others = found.size === 0 ? list : withoutDatasets(list, found);
  for (const [name, value] of listNamedElements(others)) {
    const own = name.replaceAll("/", "_");
    await tables.value(datasets.length === 1 ? tables.freeName("uns", own) : own, value);
  }
}

interface ListedDataset {
  /** The names of the lists that contain the dataset, followed by its own name. */
  readonly path: readonly string[];
  readonly value: RValue;
}

/** Returns the datasets in a list and in its nested lists. */
function datasetsIn(list: RList, above: readonly string[] = []): readonly ListedDataset[] {
  return listNamedElements(list).flatMap(([name, value]) => {
    const path = [...above, name];
    if (isAnnotated(value)) return [{ path, value }];
    return isPlainList(value) && path.length < MAX_LISTS ? datasetsIn(value, path) : [];
  });
}

/** Returns a list without the datasets found in it, and without nested lists that contain nothing else. */
function withoutDatasets(list: RList, found: ReadonlySet<RValue>, depth = 1): RList {
  const kept = listNamedElements(list).flatMap(([name, value]): readonly (readonly [string, RValue])[] => {
    if (found.has(value)) return [];
    if (!isPlainList(value) || depth === MAX_LISTS) return [[name, value]];
    const rest = withoutDatasets(value, found, depth + 1);
    return rest.values.length === 0 && value.values.length > 0 ? [] : [[name, rest]];
  });
  return {
    kind: "list",
    values: kept.map(([, value]) => value),
    attributes: new Map([["names", createRCharacter(kept.map(([name]) => name))]]),
  };
}

function isPlainList(value: RValue): value is RList {
  return value.kind === "list" && !value.attributes.has("class");
}

/** Maximum nesting of lists in which datasets are found. */
const MAX_LISTS = 8;
