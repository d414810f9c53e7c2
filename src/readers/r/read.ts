/**
 * Reads an R object: experiments and Seurat objects under the names of AnnData, frames, matrices, lists and vectors as
 * tables. Nothing in it is run.
 */

import { isRdsContainer } from "../../containers/rds/container.js";
import type { RList, RValue } from "../../containers/rds/model/value.js";
import { NotFoundError, UnsupportedError } from "../../model/errors.js";
import type { ReadPlans } from "../reader.js";
import { below } from "../seurat-names.js";
import { RTables } from "./collect/tables.js";
import { columnTable, isMatrix, type OpenStored } from "./matrices/forms.js";
import { matrixOf } from "./matrices/matrix.js";
import { addExperiment, alternativeExperiments, isExperiment, mainName } from "./objects/experiment.js";
import { addSeurat, isSeurat, seuratVersion } from "./objects/seurat.js";
import { frameOf, isFrame } from "./values/frame.js";
import { called, classesOf, listOf, namedElements } from "./values/value.js";

/**
 * Makes the reader of R objects.
 * @param openStored opens a matrix of BPCells.
 */
export function rReader(openStored: OpenStored): ReadPlans {
  return async (root, reading) => {
    const { container } = reading;
    const value = isRdsContainer(container) ? container.valueOf(root.id) : undefined;
    if (value === undefined) throw new UnsupportedError(`R objects are read of R files, not of ${container.kind}`);
    const tables = new RTables({ reading, openStored });
    await addRoot(value, tables);
    const plans = tables.plans(versionOf(value));
    const [failure] = plans.failures.values();
    if (plans.tables.length === 0) throw failure ?? new NotFoundError(`nothing to read: ${called(value)}`);
    return plans;
  };
}

function versionOf(value: RValue): string {
  const [name] = classesOf(value);
  if (name === undefined) return "";
  return isSeurat(value) ? `${name} ${seuratVersion(value)}`.trim() : name;
}

/** Whether a value is a dataset of its own. */
function isAnnotated(value: RValue): boolean {
  return isExperiment(value) || isSeurat(value);
}

async function addRoot(value: RValue, tables: RTables): Promise<void> {
  if (isAnnotated(value)) return addAnnotated(value, "", tables);
  if (isFrame(value)) {
    await tables.frame("value", frameOf(value));
    return;
  }
  if (isMatrix(value)) return addMatrix(value, tables);
  if (value.kind === "list") return addList(value, tables);
  if (value.kind === "s4" && value.slots.has("listData")) return addList(listOf(value, "a list"), tables);
  await tables.value("value", value);
}

async function addAnnotated(value: RValue, prefix: string, tables: RTables): Promise<void> {
  if (isSeurat(value)) return addSeurat(value, prefix, tables);
  const others = alternativeExperiments(value);
  if (others.length === 0) return addExperiment(value, prefix, tables);
  await addExperiment(value, below(prefix, mainName(value) ?? "main"), tables);
  for (const [name, other] of others) {
    const own = below(prefix, name);
    await tables.attempt(own.slice(0, -1), () => addExperiment(other, own, tables));
  }
}

/** A matrix alone, with the names of its rows and columns; features are rows, by R's custom. */
async function addMatrix(value: RValue, tables: RTables): Promise<void> {
  await tables.attempt("matrix", async () => {
    const matrix = await matrixOf(value, "matrix", tables.cx);
    await tables.add("matrix", () => matrix.table("matrix", "same"));
    for (const [axis, name] of ["row_names", "col_names"].entries()) {
      const names = matrix.names[axis];
      if (names !== null) await tables.add(name, () => columnTable(name, { ...names, attributes: new Map() }));
    }
  });
}

/** The elements of a list by their names. Datasets in it are modalities, so that one of them can be chosen. */
async function addList(list: RList, tables: RTables): Promise<void> {
  for (const [name, value] of namedElements(list)) {
    const own = name.replaceAll("/", "_");
    if (isAnnotated(value)) await tables.attempt(`mod/${own}`, () => addAnnotated(value, `mod/${own}/`, tables));
    else await tables.value(own, value);
  }
}
