/** Seurat assays: `Assay` in versions 3 and 4, `Assay5` in version 5. */

import type { RValue } from "../../containers/rds/model/value.js";
import { NO_ATTRIBUTES } from "../../containers/rds/model/value.js";
import { createCharacterVector, createIntegerVector, createNamedList, createRList, createS4Object } from "./context.js";
import { createDataFrame, type WrittenFrame } from "./frame.js";
import { createDimnames } from "./matrix.js";
import { withVariableFeatures } from "./variable-features.js";

export interface AssayParts {
  readonly key: string;
  readonly cells: readonly string[];
  readonly features: readonly string[];
  readonly frame: WrittenFrame;
  /** Matrices by layer name: `counts`, `data`, and others. In version 5, they have no row and column names. */
  readonly layers: ReadonlyMap<string, RValue>;
  readonly misc: RValue;
  /** The names of the variable features, in the order of these features. */
  readonly variable: readonly string[];
  /** Feature names of the layers that contain only some features. */
  readonly some: ReadonlyMap<string, readonly string[]>;
}

const NULL: RValue = { kind: "null" };

/** An empty matrix, as created by `new("matrix")`. */
export const EMPTY_MATRIX: RValue = {
  kind: "real",
  values: new Float64Array(),
  attributes: new Map([["dim", createIntegerVector(0, 0)]]),
};

/** Creates an assay. Like `CreateSeuratObject`, uses the counts as data if there are only counts. */
export function createAssay4({ key, features, cells, frame, layers, misc, variable }: AssayParts): RValue {
  const counts = layers.get("counts");
  const data = layers.get("data") ?? counts ?? noEntries(features, cells);
  return createS4Object("Assay", "SeuratObject", {
    counts: counts ?? EMPTY_MATRIX,
    data,
    "scale.data": layers.get("scale.data") ?? EMPTY_MATRIX,
    key: createCharacterVector([key]),
    "assay.orig": NULL,
    "var.features":
      variable.length > 0
        ? createCharacterVector(variable)
        : { kind: "logical", values: new Int32Array(), attributes: NO_ATTRIBUTES },
    "meta.features": createDataFrame({ ...frame, names: features }),
    misc,
  });
}

/** Creates an assay. The names are stored separately, since the layers have none. */
export function createAssay5({ key, features, cells, frame, layers, misc, variable, some }: AssayParts): RValue {
  const names = [...layers.keys()];
  return createS4Object("Assay5", "SeuratObject", {
    layers: createNamedList(layers),
    cells: logMap(cells, names, new Map()),
    features: logMap(features, names, some),
    default: createIntegerVector(Math.min(1, names.length)),
    "assay.orig": createCharacterVector([]),
    "meta.data": createDataFrame({
      ...frame,
      names: null,
      columns: withVariableFeatures(frame.columns, variable, features),
    }),
    misc,
    key: createCharacterVector([key]),
  });
}

/** Creates the map of the names in each layer. A layer has all names unless it is listed in `some`. */
function logMap(
  names: readonly string[],
  layers: readonly string[],
  some: ReadonlyMap<string, readonly string[]>,
): RValue {
  const values = new Int32Array(names.length * layers.length).fill(1);
  for (const [i, layer] of layers.entries()) {
    const own = some.get(layer);
    if (own === undefined) continue;
    const held = new Set(own);
    for (const [row, name] of names.entries()) values[i * names.length + row] = held.has(name) ? 1 : 0;
  }
  return {
    kind: "logical",
    isS4: true,
    values,
    attributes: new Map<string, RValue>([
      ["dim", createIntegerVector(names.length, layers.length)],
      ["dimnames", createDimnames([names, layers])],
      ["class", createCharacterVector(["LogMap"], new Map([["package", createCharacterVector(["SeuratObject"])]]))],
    ]),
  };
}

function noEntries(features: readonly string[], cells: readonly string[]): RValue {
  return createS4Object("dgCMatrix", "Matrix", {
    i: createIntegerVector(),
    p: { kind: "integer", values: new Int32Array(cells.length + 1), attributes: NO_ATTRIBUTES },
    Dim: createIntegerVector(features.length, cells.length),
    Dimnames: createDimnames([features, cells]),
    x: { kind: "real", values: new Float64Array(), attributes: NO_ATTRIBUTES },
    factors: createRList([]),
  });
}
