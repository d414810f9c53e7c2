/** Writes datasets as the assays of a Seurat object of version 4 or 5. */

import { InvalidInputError } from "annarrow";
import { UnsupportedElementError } from "annarrow/core/model";
import type { AxisName, ColumnTable } from "annarrow/core/tables";
import { readTableBatches, toNameTexts } from "annarrow/core/tables";
import { NO_ATTRIBUTES, type RInteger, type RValue } from "../../containers/rds/model/value.js";
import { findReduction, toReductionName, toSeuratKey } from "../seurat-names.js";
import { type AssayParts, createAssay4, createAssay5, EMPTY_MATRIX } from "./assay.js";
import {
  createCharacterVector,
  createClassAttribute,
  createNamedList,
  createPackageVersion,
  createRList,
  createS4Object,
  type RWriterContext,
  withOrigin,
} from "./context.js";
import type { DatasetTables } from "./dataset.js";
import { createRDenseMatrix } from "./dense.js";
import { createDataFrame, type WrittenFrame } from "./frame.js";
import { createWrittenValue } from "./mapping.js";
import { createDimnames, createRSparseMatrix, isSparse } from "./matrix.js";
import { readVariableFeatures } from "./variable-features.js";

// Scaled values of some features, which are stored in `obsm/scale.data`. The feature names are stored beside them.

type SeuratVersion = "v4" | "v5";

/** Layer with scaled values. In Seurat 4, it is dense and has its own slot. */
const SCALED = "scale.data";

interface ScaledValues {
  /** Features that have values, in row order. */
  readonly features: readonly string[];
  /** Features-by-cells matrix; null if there are no values. */
  readonly matrix: RValue | null;
}

/**
 * Reads the scaled values. For Seurat 4 their order does not change. For Seurat 5 they are sorted into the order of the
 * assay's features, as by `LayerData<-`.
 * @param isTaken whether a layer of scaled values already exists.
 * @throws {UnsupportedElementError} if the values do not fit.
 */
async function readScaledValues(
  names: ColumnTable,
  isTaken: boolean,
  dataset: DatasetTables,
  version: SeuratVersion,
): Promise<ScaledValues> {
  const table = dataset.below("obsm").find(([key]) => key === SCALED)?.[1];
  if (table === undefined) return { features: [], matrix: null };
  const given: string[] = [];
  for await (const { columns } of readTableBatches(names, dataset.cx))
    for (const one of toNameTexts(columns[0])) given.push(one ?? "NA");
  dataset.written.push({ name: names.name, rows: given.length });
  const places = new Map((dataset.frame("var").names ?? []).map((name, i) => [name, i]));
  const own = Int32Array.from(given, (name) => places.get(name) ?? -1);
  const order = Int32Array.from(own.keys()).sort((a, b) => own[a] - own[b]);
  const twice = order.findIndex((at, i) => i > 0 && own[at] === own[order[i - 1]]);
  const problem = own.includes(-1)
    ? `the feature ${JSON.stringify(given[own.indexOf(-1)])}, which var has not`
    : twice >= 0
      ? `the feature ${JSON.stringify(given[order[twice]])} twice`
      : isTaken
        ? "scaled values of some features beside layers/scale.data: leave one out"
        : null;
  if (problem !== null) throw new UnsupportedElementError(problem, { element: table.name, table: table.name });
  const isSorted = order.every((at, i) => at === i);
  const features = version === "v4" || isSorted ? given : Array.from(order, (at) => given[at]);
  const cells = dataset.frame("obs").names ?? [];
  const form = {
    sizes: [cells.length, features.length],
    dimnames: version === "v4" ? createDimnames([features, cells]) : null,
    isTransposed: true,
    order: features === given ? undefined : order,
  } as const;
  return { features, matrix: await dataset.element(table, () => createRDenseMatrix(table, form, dataset.cx)) };
}

const VERSIONS: Readonly<Record<SeuratVersion, RValue>> = {
  v4: createPackageVersion(4, 1, 3),
  v5: createPackageVersion(5, 0, 2),
};

/** Default name of a Seurat object, and default identity of its cells. */
const PROJECT = "SeuratProject";

/** A dataset that is written as an assay, and its name. */
export interface AssayDataset {
  readonly name: string;
  readonly misc: RValue;
  readonly dataset: DatasetTables;
  /** Feature names of `obsm/scale.data`; null if that element is an ordinary matrix. */
  readonly scaled: ColumnTable | null;
}

export interface SeuratParts {
  /** The cells of the object. An assay has all or some of them. */
  readonly cells: WrittenFrame;
  /** Assays, the default one first. */
  readonly assays: readonly AssayDataset[];
  readonly misc: RValue;
  /** Standard deviations along the axes of reductions, keyed by reduction name. */
  readonly stdev: ReadonlyMap<string, ColumnTable>;
}

export async function createSeuratObject(
  { assays, cells, misc, stdev }: SeuratParts,
  version: SeuratVersion,
): Promise<RValue> {
  const [{ name: main, dataset }] = assays;
  const { cx } = dataset;
  const names = cells.names ?? [];
  const written = new Map<string, RValue>();
  const reductions = new Map<string, RValue>();
  const graphs = new Map<string, RValue>();
  for (const one of assays) {
    const { name, dataset: own, scaled } = one;
    for (const [assay, parts] of await assayParts(one, version, assays.length > 1)) {
      if (written.has(assay)) throw new InvalidInputError(`two assays ${JSON.stringify(assay)}: rename one`);
      written.set(assay, version === "v4" ? createAssay4(parts) : createAssay5(parts));
    }
    const place = { assay: name, dataset: own, cells: namesOf(own, "obs") };
    for (const [key, table] of own.below("obsm")) {
      if (key === SCALED && scaled !== null) continue;
      const free = freeName(reductions, toReductionName(key), name);
      reductions.set(
        free,
        await reduction({ key, prefix: toSeuratKey(free), table }, place, stdev.get(toReductionName(key))),
      );
    }
    for (const [key, table] of own.below("obsp")) {
      graphs.set(freeName(graphs, key, name), await graph(table, place));
    }
  }
  const { identities, columns } = identitiesOf(cells, names, cx);
  return createS4Object("Seurat", "SeuratObject", {
    assays: createNamedList(written),
    "meta.data": createDataFrame({ rows: names.length, names, columns }),
    "active.assay": createCharacterVector([main]),
    "active.ident": identities,
    graphs: createNamedList(graphs),
    neighbors: createRList([]),
    reductions: createNamedList(reductions),
    images: createRList([]),
    "project.name": createCharacterVector([PROJECT]),
    misc,
    version: VERSIONS[version],
    commands: createRList([]),
    tools: createRList([]),
  });
}

/** Returns the name for an element of an assay. Adds the assay's name as a prefix if an earlier assay uses the name. */
function freeName(values: ReadonlyMap<string, RValue>, name: string, assay: string): string {
  const own = values.has(name) ? `${assay}.${name}` : name;
  if (values.has(own)) throw new InvalidInputError(`two elements become ${JSON.stringify(own)}: rename one`);
  return own;
}

/** Returns the names along an axis. Seurat requires names. */
function namesOf(dataset: DatasetTables, axis: AxisName): readonly string[] {
  return dataset.frame(axis).names ?? [];
}

async function assayParts(
  { name, dataset, misc, scaled }: AssayDataset,
  version: SeuratVersion,
  isOneOfSeveral: boolean,
): Promise<readonly (readonly [name: string, parts: AssayParts])[]> {
  // Counts come first, as in CreateSeuratObject.
  const order = [...dataset.below("layers").map(([key]) => key)].sort(
    (a, b) => Number(b === "counts") - Number(a === "counts"),
  );
  const layers = new Map<string, RValue>();
  if (order[0] !== "counts") await addLayer(layers, "data", "X", dataset, version);
  for (const [i, key] of order.entries()) {
    await addLayer(layers, key, `layers/${key}`, dataset, version);
    if (i === 0 && key === "counts") await addLayer(layers, "data", "X", dataset, version);
  }
  const some = new Map<string, readonly string[]>();
  if (scaled !== null) {
    const { features, matrix } = await readScaledValues(scaled, layers.has(SCALED), dataset, version);
    some.set(SCALED, features);
    if (matrix !== null) layers.set(SCALED, matrix);
  }
  const variable = await readVariableFeatures(dataset.table("var"), namesOf(dataset, "var"), dataset.cx);
  const all: (readonly [string, AssayParts])[] = [
    [name, { key: toSeuratKey(name.toLowerCase()), layers, misc, variable, some, ...axesOf(dataset, "var") }],
  ];
  if (!dataset.has("raw/X")) return all;
  const raw = new Map<string, RValue>();
  await addLayer(raw, "data", "raw/X", dataset, version);
  const rawName = isOneOfSeveral ? `${name}.raw` : "raw";
  const ofRaw = {
    key: toSeuratKey(rawName.toLowerCase()),
    layers: raw,
    misc: createRList([]),
    variable: [],
    some: new Map(),
  };
  return [...all, [rawName, { ...ofRaw, ...axesOf(dataset, "raw/var") }]];
}

async function addLayer(
  layers: Map<string, RValue>,
  layer: string,
  name: string,
  dataset: DatasetTables,
  version: SeuratVersion,
): Promise<void> {
  const matrix = await dataset.matrix(name, version === "v4");
  if (matrix === null) return;
  if (matrix.kind === "s4" && matrix.className === "lgCMatrix") {
    throw new UnsupportedElementError("booleans; layers of Seurat hold numbers", { element: name, table: name });
  }
  if (layer === SCALED && version === "v4" && matrix.kind === "s4") {
    throw new UnsupportedElementError(
      "sparse; scale.data of Seurat 4 is a dense matrix: make it dense, or write Seurat 5 (--seurat v5)",
      {
        element: name,
        table: name,
      },
    );
  }
  if (layers.has(layer)) {
    throw new UnsupportedElementError(
      `X is the layer ${layer} of Seurat, and there is layers/${layer}: choose one as X (--X layers/${layer})`,
      {
        element: name,
        table: name,
      },
    );
  }
  layers.set(layer, matrix);
}

function axesOf(dataset: DatasetTables, axis: "var" | "raw/var") {
  return { features: namesOf(dataset, axis), cells: namesOf(dataset, "obs"), frame: dataset.frame(axis) };
}

interface Place {
  readonly assay: string;
  readonly dataset: DatasetTables;
  readonly cells: readonly string[];
}

/** An element of `obsm`, and the key of its reduction. */
interface Embedding {
  readonly key: string;
  readonly prefix: string;
  readonly table: ColumnTable;
}

async function reduction(
  { key, prefix, table }: Embedding,
  { assay, dataset, cells }: Place,
  deviations: ColumnTable | undefined,
): Promise<RValue> {
  const { cx } = dataset;
  const width = widthOf(table);
  const axes = Array.from({ length: width }, (_, i) => `${prefix}${i + 1}`);
  const embeddings = await dataset.element(table, () =>
    createRDenseMatrix(
      table,
      { sizes: [cells.length, width], dimnames: createDimnames([cells, axes]), isTransposed: false },
      cx,
    ),
  );
  const names = new Set(dataset.below("obsm").map(([own]) => `obsm/${own}`));
  const loaded = dataset.below("varm").find(([own]) => findReduction(own, (one) => names.has(`obsm/${one}`)) === key);
  const features = namesOf(dataset, "var");
  const loadings =
    loaded === undefined
      ? EMPTY_MATRIX
      : await dataset.element(loaded[1], () => {
          const columns = widthOf(loaded[1]);
          const own = Array.from({ length: columns }, (_, i) => `${prefix}${i + 1}`);
          const form = {
            sizes: [features.length, columns],
            dimnames: createDimnames([features, own]),
            isTransposed: false,
          } as const;
          return createRDenseMatrix(loaded[1], form, cx);
        });
  // The original element names are stored if the reader would derive different ones.
  const own = toReductionName(key);
  const origin = [
    ...(key === `X_${own}` ? [] : [`obsm/${key}`]),
    ...(loaded === undefined || loaded[0] === own ? [] : [`varm/${loaded[0]}`]),
  ];
  return createS4Object("DimReduc", "SeuratObject", {
    "cell.embeddings": embeddings,
    "feature.loadings": loadings,
    "feature.loadings.projected": EMPTY_MATRIX,
    "assay.used": createCharacterVector([assay]),
    global: { kind: "logical", values: Int32Array.of(0), attributes: NO_ATTRIBUTES },
    stdev:
      deviations === undefined
        ? { kind: "real", values: new Float64Array(), attributes: NO_ATTRIBUTES }
        : await dataset.element(deviations, () => createWrittenValue(deviations, cx)),
    key: createCharacterVector([prefix]),
    jackstraw: createS4Object("JackStrawData", "SeuratObject", {
      "empirical.p.values": EMPTY_MATRIX,
      "fake.reduction.scores": EMPTY_MATRIX,
      "empirical.p.values.full": EMPTY_MATRIX,
      "overall.p.values": EMPTY_MATRIX,
    }),
    misc: origin.length === 0 ? createRList([]) : withOrigin(createRList([]), ...origin),
  });
}

/** @throws {UnsupportedElementError} for a table that is not a dense matrix. */
function widthOf(table: ColumnTable): number {
  const type = table.fields[0]?.type;
  if (table.metadata?.layout === "columns") return table.fields.length;
  if (table.fields.length === 1 && type?.id === "FixedSizeList") return type.size;
  throw new UnsupportedElementError("no dense matrix, as the places of cells in a reduction of Seurat are", {
    element: table.name,
    table: table.name,
  });
}

async function graph(table: ColumnTable, { assay, dataset, cells }: Place): Promise<RValue> {
  if (!isSparse(table)) {
    throw new UnsupportedElementError(
      "a dense matrix; graphs of Seurat are sparse: make it sparse (scipy.sparse.csr_matrix)",
      {
        element: table.name,
        table: table.name,
      },
    );
  }
  const axes = { ...dataset.axes("obsp/graph"), names: [cells, cells] } as const;
  return dataset.element(table, () =>
    createRSparseMatrix(table, axes, "column", dataset.cx, ({ isLogical, ...slots }) => {
      if (isLogical) throw new UnsupportedElementError("booleans; graphs of Seurat hold numbers");
      return createS4Object("Graph", "SeuratObject", {
        "assay.used": createCharacterVector([assay]),
        ...slots,
        factors: createRList([]),
      });
    }),
  );
}

/** Returns the cell identities: the column `ident`, as the reader names it, or else the project name for all cells. */
function identitiesOf({ columns }: WrittenFrame, cells: readonly string[], { document }: RWriterContext) {
  const names: readonly [string, RValue] = ["names", createCharacterVector(cells)];
  const own = columns.get("ident");
  if (own?.kind === "integer" && own.attributes.has("levels")) {
    const others = new Map([...columns].filter(([name]) => name !== "ident"));
    return { columns: others, identities: document.withAttributes(own, new Map([...own.attributes, names])) };
  }
  const attributes = new Map<string, RValue>([
    names,
    ["levels", createCharacterVector([PROJECT])],
    createClassAttribute("factor"),
  ]);
  const identities: RInteger = { kind: "integer", values: new Int32Array(cells.length).fill(1), attributes };
  // These identities are generated, so the reader must not turn them into a column of the cells.
  return { columns, identities: withOrigin(identities, "made") };
}
