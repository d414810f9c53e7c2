/** Writes a dataset as a `SingleCellExperiment`, with the slots that the package has since version 1.8. */

import { UnsupportedElementError } from "annarrow/core/model";
import type { ColumnTable } from "annarrow/core/tables";
import type { RValue } from "../../containers/rds/model/value.js";
import {
  createCharacterVector,
  createNamedList,
  createPackageVersion,
  createRList,
  createS4Object,
} from "./context.js";
import type { DatasetTables } from "./dataset.js";
import { createRDenseMatrix } from "./dense.js";
import { createDFrame, readFrame, type WrittenFrame } from "./frame.js";
import { createRSparseMatrix, isSparse } from "./matrix.js";
import { createMatrixPairs } from "./pairs.js";
import { emptyRanges } from "./ranges.js";

const NULL: RValue = { kind: "null" };

/** Version of the package whose layout is written. */
const VERSION = createPackageVersion(1, 20, 0);

/** An alternative experiment, with its name. */
export type Alternative = readonly [name: string, experiment: RValue];

export interface ExperimentParts {
  /** Name of the main experiment if the dataset is one of several modalities; otherwise null. */
  readonly name: string | null;
  /** Name of the first assay; null if unknown. */
  readonly main: string | null;
  readonly alternatives: readonly Alternative[];
  readonly metadata: RValue;
}

/** Writes all elements along the axes. `raw` becomes an alternative experiment. */
export async function createExperiment(dataset: DatasetTables, parts: ExperimentParts): Promise<RValue> {
  const assays = await assaysOf(dataset, parts.main);
  const raw = await dataset.matrix("raw/X");
  const alternatives = [...parts.alternatives];
  if (raw !== null) {
    const cells = { ...dataset.frame("obs"), columns: new Map<string, RValue>() };
    const empty = { name: null, main: null, alternatives: [], metadata: createRList([]) };
    const features = await withLoadings(dataset, "raw/var", "raw/varm");
    alternatives.push(["raw", experiment({ cells, features, assays: new Map([["X", raw]]), aligned: NONE }, empty)]);
  }
  const aligned = {
    reducedDims: await embeddings(dataset),
    colPairs: await graphs(dataset, "obsp"),
    rowPairs: await graphs(dataset, "varp"),
  };
  const features = await withLoadings(dataset, "var", "varm");
  return experiment({ cells: dataset.frame("obs"), features, assays, aligned }, { ...parts, alternatives });
}

interface Aligned {
  readonly reducedDims: ReadonlyMap<string, RValue>;
  readonly colPairs: ReadonlyMap<string, RValue>;
  readonly rowPairs: ReadonlyMap<string, RValue>;
}

const NONE: Aligned = { reducedDims: new Map(), colPairs: new Map(), rowPairs: new Map() };

/** Writes the matrices, X first. X is named `logcounts` if there are `counts`, and else has zellkonverter's name. */
async function assaysOf(dataset: DatasetTables, main: string | null): Promise<ReadonlyMap<string, RValue>> {
  const assays = new Map<string, RValue>();
  const X = await dataset.matrix("X");
  const usual = dataset.has("layers/counts") && !dataset.has("layers/logcounts") ? "logcounts" : "X";
  if (X !== null) assays.set(main ?? usual, X);
  for (const [name] of dataset.below("layers")) {
    const layer = await dataset.matrix(`layers/${name}`);
    if (layer !== null) assays.set(name, layer);
  }
  return assays;
}

/**
 * Returns the features with the matrices of `varm` as columns, because Bioconductor has no other place for these
 * matrices.
 * @throws {UnsupportedElementError} for a matrix that has the same name as a column.
 */
async function withLoadings(dataset: DatasetTables, axis: "var" | "raw/var", mapping: string): Promise<WrittenFrame> {
  const frame = dataset.frame(axis);
  const columns = new Map(frame.columns);
  for (const [name, table] of dataset.below(mapping)) {
    const { name: own } = table;
    if (columns.has(name)) {
      throw new UnsupportedElementError(`a column of ${axis} is called ${name}, too: rename one`, {
        element: own,
        table: own,
      });
    }
    const form = { sizes: [frame.rows, null], dimnames: null, isTransposed: false } as const;
    columns.set(name, await dataset.element(table, () => createRDenseMatrix(table, form, dataset.cx)));
  }
  return { ...frame, columns };
}

async function embeddings(dataset: DatasetTables): Promise<ReadonlyMap<string, RValue>> {
  const values = new Map<string, RValue>();
  for (const [name, table] of dataset.below("obsm")) {
    values.set(name, await dataset.element(table, () => embedding(table, dataset)));
  }
  return values;
}

async function embedding(table: ColumnTable, dataset: DatasetTables) {
  const { cx } = dataset;
  const cells = dataset.frame("obs");
  if (table.metadata?.kind === "dataframe") {
    const frame = await readFrame(table, undefined, cx);
    return { value: createDFrame({ ...frame, names: cells.names }), rows: frame.rows };
  }
  const shape = table.metadata?.shape;
  if (isSparse(table) && shape?.length === 2) {
    const axes = { sizes: [cells.rows, shape[1]], names: [cells.names, null], tables: ["obs", null] } as const;
    return createRSparseMatrix(table, axes, "column", cx);
  }
  return createRDenseMatrix(table, { sizes: [cells.rows, null], dimnames: null, isTransposed: false }, cx);
}

async function graphs(dataset: DatasetTables, mapping: "obsp" | "varp"): Promise<ReadonlyMap<string, RValue>> {
  const values = new Map<string, RValue>();
  for (const [name, table] of dataset.below(mapping)) {
    values.set(
      name,
      await dataset.element(table, () => createMatrixPairs(table, dataset.axes(`${mapping}/${name}`), dataset.cx)),
    );
  }
  return values;
}

interface ExperimentData {
  readonly cells: WrittenFrame;
  readonly features: WrittenFrame;
  readonly assays: ReadonlyMap<string, RValue>;
  readonly aligned: Aligned;
}

function experiment(
  { cells, features, assays, aligned }: ExperimentData,
  { name, alternatives, metadata }: Omit<ExperimentParts, "main">,
): RValue {
  const nested = (rows: number, columns: ReadonlyMap<string, RValue>) => createDFrame({ rows, names: null, columns });
  const beside = alternatives.map(([key, value]): [string, RValue] => [
    key,
    createS4Object("SummarizedExperimentByColumn", "SingleCellExperiment", { se: value }),
  ]);
  const ofRows = new Map([["rowPairs", nested(features.rows, aligned.rowPairs)]]);
  const ofColumns = new Map([
    ["reducedDims", nested(cells.rows, aligned.reducedDims)],
    ["altExps", nested(cells.rows, new Map(beside))],
    ["colPairs", nested(cells.rows, aligned.colPairs)],
  ]);
  const inner = new Map<string, RValue>([["version", VERSION]]);
  if (name !== null) inner.set("mainExpName", createCharacterVector([name]));
  return createS4Object("SingleCellExperiment", "SingleCellExperiment", {
    int_elementMetadata: nested(features.rows, ofRows),
    int_colData: nested(cells.rows, ofColumns),
    int_metadata: createNamedList(inner),
    rowRanges: emptyRanges(features),
    colData: createDFrame(cells),
    assays: createS4Object("SimpleAssays", "SummarizedExperiment", {
      data: createS4Object("SimpleList", "S4Vectors", {
        listData: createNamedList(assays),
        elementType: createCharacterVector(["ANY"]),
        elementMetadata: NULL,
        metadata: createRList([]),
      }),
    }),
    NAMES: NULL,
    elementMetadata: nested(features.rows, new Map()),
    metadata,
  });
}
