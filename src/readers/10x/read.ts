/** Reads files of feature-barcode matrices of all versions of Cell Ranger; tables have the names of AnnData. */

import type { Group } from "../../containers/tree/container.js";
import type { TablePlan } from "../../jobs/plan/plan.js";
import { NotFoundError, UnsupportedError } from "../../model/errors.js";
import { rowAxis } from "../../tables/axes.js";
import { both, mapConcurrently } from "../concurrency.js";
import type { TableElement } from "../element.js";
import { childNames, type DatasetPlans, openChild, orNull, type ReaderContext } from "../reader.js";
import { derivedPlan, FoundElements, withWarningsTo } from "../tree.js";
import { findMatrices, type MatrixGroup, otherFileKind } from "./find-matrices.js";
import { type AxisFrame, barcodeAxis, COUNTS, countsElement, featureAxis } from "./matrix.js";
import { readUnstructured, type UsedMatrix } from "./unstructured.js";

interface Part extends UsedMatrix {
  readonly prefix: string;
  readonly found: FoundElements;
}

/**
 * Reads the structure, and of values only shapes. One matrix gives `X`, `obs` and `var`. Several matrices, one per
 * genome, give such tables for each, with the name of the genome as a prefix.
 * @throws {UnsupportedError} for files of 10x Genomics without a matrix.
 */
export async function readCellRanger(root: Group, cx: ReaderContext): Promise<DatasetPlans> {
  const keys = await childNames(root, cx);
  const other = otherFileKind(root, keys);
  if (other !== null) {
    throw new UnsupportedError(`${other}; this version of annarrow reads feature-barcode matrices of 10x Genomics`);
  }
  const matrices = await findMatrices(root, keys, cx.options);
  const [first] = matrices;
  if (first === undefined) throw new NotFoundError("no feature-barcode matrix here");
  const parts = await mapConcurrently(matrices, (matrix) =>
    readMatrix(matrix, matrices.length > 1 ? `${matrix.name}/` : "", cx),
  );

  const found = new FoundElements();
  for (const part of parts) found.add(part.found);
  const isAlone = first.group === root;
  const genomes = matrices.filter((matrix) => !matrix.keys.includes("features") && matrix.name !== "matrix");
  const nodes = await readUnstructured(
    isAlone ? await parentOf(root, cx) : root,
    parts,
    { whole: !isAlone, genome: genomes.length === 1 && matrices.length === 1 ? first.name : null },
    found,
    withWarningsTo(found, cx),
  );
  for (const warning of found.warnings) cx.warn(warning);

  const tables: TablePlan[] = [...found.tables].map(([name, element]) => {
    found.noteColumns(name, element);
    return tablePlan(name, element, parts, cx);
  });
  if (nodes.length > 0) tables.push(derivedPlan("uns", nodes, cx));
  const version = first.keys.includes("features") ? "3" : "2";
  return { version, shape: parts.length === 1 ? shapeOf(found) : null, tables, failures: found.failures };
}

async function readMatrix(matrix: MatrixGroup, prefix: string, plain: ReaderContext): Promise<Part> {
  const found = new FoundElements();
  const cx = withWarningsTo(found, plain);
  const own = { obs: new FoundElements(), var: new FoundElements() };
  const [obs, vars] = await both(
    own.obs.element(`${prefix}obs`, () => barcodeAxis(matrix, `${prefix}obs`, own.obs, withWarningsTo(own.obs, plain))),
    own.var.element(`${prefix}var`, () => featureAxis(matrix, `${prefix}var`, own.var, withWarningsTo(own.var, plain))),
  );
  const lengths = { barcodes: obs?.element.rows ?? null, features: vars?.element.rows ?? null };
  const counts = await found.element(`${prefix}X`, () => countsElement(matrix, lengths, cx));
  if (counts !== null) found.tables.set(`${prefix}X`, counts);
  if (obs !== null) own.obs.tables.set(`${prefix}obs`, obs.element);
  if (vars !== null) own.var.tables.set(`${prefix}var`, vars.element);
  found.add(own.obs);
  found.add(own.var);
  return { ...matrix, prefix, found, ...(await usedOf(matrix, [obs, vars], found, cx)) };
}

/** The arrays that the tables use. An array that could not be read counts as used, so that it fails only once. */
async function usedOf(
  { group, keys }: MatrixGroup,
  axes: readonly (AxisFrame | null)[],
  { failures }: FoundElements,
  cx: ReaderContext,
): Promise<Pick<UsedMatrix, "used" | "features">> {
  const failed = [...failures.values()].flatMap(({ element }) => element?.slice(group.path.length + 1) ?? []);
  const used = new Set([...COUNTS, "barcodes", ...failed, ...axes.flatMap((axis) => axis?.used ?? [])]);
  const features = keys.includes("features") ? await orNull(openChild(group, "features", cx)) : null;
  const below = features?.kind === "group" ? await orNull(childNames(features, cx)) : null;
  if (features?.kind !== "group" || below === null) return { used, features: null };
  return { used, features: { group: features, keys: below } };
}

/** Opens the parent of a group. */
async function parentOf(root: Group, { container, options }: ReaderContext): Promise<Group> {
  let parent = container.root;
  for (const name of root.path.split("/").slice(0, -1)) {
    const node = await parent.open(name, options);
    if (node.kind === "group") parent = node;
  }
  return parent;
}

function tablePlan(name: string, element: TableElement, parts: readonly Part[], cx: ReaderContext): TablePlan {
  const prefix = parts.find((part) => name.startsWith(part.prefix))?.prefix ?? "";
  return {
    name,
    fields: element.fields,
    metadata: element.metadata,
    schemaMetadata: element.schemaMetadata ?? new Map(),
    rows: element.rows,
    derived: false,
    axis: rowAxis(name.slice(prefix.length)),
    plan: element.plan,
    text: cx.text,
    columnNames: null,
  };
}

function shapeOf({ tables }: FoundElements): readonly [number, number] | null {
  const [height, width] = tables.get("X")?.shape ?? [];
  const cells = tables.get("obs")?.rows ?? height;
  const features = tables.get("var")?.rows ?? width;
  return cells === undefined || features === undefined ? null : [cells, features];
}
