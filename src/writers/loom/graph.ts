/**
 * Writes `/row_graphs/<name>` and `/col_graphs/<name>`, which contain a graph's edges `a`, `b`, `w` in the table's
 * order.
 */

import type { Column } from "../../arrow/column.js";
import { type ArrowField, describeArrowType, getCoordinateType } from "../../arrow/type.js";
import { toWrittenForm } from "../../arrow/written-type.js";
import { toStoredValues } from "../../arrow/written-values.js";
import type { ArrayWriter, GroupWriter } from "../../containers/tree/container-writer.js";
import { convertIndices } from "../../kernels/sparse/convert-indices.js";
import { toFloats } from "../../kernels/sparse/whole-numbers.js";
import { InvalidInputError, runWithLocation, UnsupportedElementError, UnsupportedError } from "../../model/errors.js";
import { allocate, type IntArray, type IntType, type NumberArray, type StoredType } from "../../model/stored.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { readTableBatches } from "../../tables/rows.js";
import { convertListsToCoordinates, findCoordinateColumns, getIntValues } from "../../tables/sparse/sparse-entries.js";
import { reportLoss } from "../context.js";
import type { LoomWriterContext } from "./context.js";
import { countUnstorableMissing, FLOAT64, INT32, INT64 } from "./stored-types.js";

/**
 * Writes a graph with `size` nodes.
 * @returns the number of edges.
 * @throws {InvalidInputError} for a different number of nodes, for an edge whose end is not a node, and for missing
 * weights.
 * @throws {UnsupportedError} for a table that is not a graph.
 */
export async function writeGraph(
  group: GroupWriter,
  given: ColumnTable,
  size: number,
  cx: LoomWriterContext,
): Promise<number> {
  const table = await coordinates(given);
  const element = table.name;
  const places = findCoordinateColumns(table.fields);
  if (places === null) {
    throw new UnsupportedError("a graph is a table of its edges: row, col, value", { element });
  }
  const shape = table.metadata?.shape;
  if (shape !== undefined && (shape.length !== 2 || shape.some((one) => one !== size))) {
    throw new InvalidInputError(`shape ${JSON.stringify(shape)}, the matrix has ${size} nodes on this side`, {
      element,
    });
  }
  const [row, col, value] = places;
  const weights = new Weights(table.fields[value], remembersWeights(table), element, cx);
  const type: IntType = getCoordinateType(size).bits === 64 ? INT64 : INT32;
  const open = (name: string, stored: StoredType): Promise<ArrayWriter> =>
    runWithLocation({ element }, () => group.array(name, { type: stored, shape: [table.rows] }));
  const [a, b, w] = [await open("a", type), await open("b", type), await open("w", weights.type)];
  const ends = new Ends(size, element);
  for await (const { columns, length } of readTableBatches(table, cx, true)) {
    if (length === 0) continue;
    await runWithLocation({ element }, async () => {
      const [rows, cols] = [getIntValues(columns[row], "row", element), getIntValues(columns[col], "col", element)];
      ends.add(rows, cols);
      await a.write({ kind: "fixed", values: convertIndices(rows, type) }, length);
      await b.write({ kind: "fixed", values: convertIndices(cols, type) }, length);
      await w.write({ kind: "fixed", values: weights.of(columns[value]) }, length);
    });
  }
  if (ends.oneBased) {
    cx.warn(`${element}: the ends of edges are 1 … ${size} in a graph of ${size} nodes; they are written as they are`);
  }
  for (const array of [a, b, w]) await runWithLocation({ element }, () => array.close());
  return ends.edges;
}

async function coordinates(table: ColumnTable): Promise<ColumnTable> {
  const isOther = table.fields.length === 1 && table.layouts.includes("coordinate");
  return isOther ? await table.layout("coordinate") : await convertListsToCoordinates(table);
}

/** Whether the graph was read from a Loom file. If so, its weights keep their type. */
function remembersWeights({ metadata }: ColumnTable): boolean {
  return metadata?.kind === "coo_matrix" && typeof metadata.indices === "string";
}

/** Checks the ends of edges as they are written. */
class Ends {
  readonly #size: number;
  readonly #element: string;
  #least = Number.POSITIVE_INFINITY;
  #most = -1;
  edges = 0;

  constructor(size: number, element: string) {
    this.#size = size;
    this.#element = element;
  }

  /**
   * Whether the ends count from one, as in files written by R. In that case no end is 0, and at least one is `size`.
   */
  get oneBased(): boolean {
    return this.#most === this.#size && this.#least >= 1;
  }

  add(rows: IntArray, cols: IntArray): void {
    for (const ends of [rows, cols]) {
      for (let i = 0; i < ends.length; i++) {
        const end = Number(ends[i]);
        if (end < this.#least) this.#least = end;
        if (end > this.#most) this.#most = end;
        const isNode = end >= 0 && (end < this.#size || this.oneBased);
        if (!isNode) this.#refuse(end, this.edges + i);
      }
    }
    if (this.#most === this.#size && !this.oneBased) this.#refuse(this.#most, null);
    this.edges += rows.length;
  }

  #refuse(end: number, edge: number | null): never {
    const which = edge === null ? "an edge" : `edge ${edge}`;
    throw new InvalidInputError(`an end of ${which} is ${end}, outside 0 … ${this.#size - 1}`, {
      element: this.#element,
    });
  }
}

/** Converts weights to floats, as the specification requires. */
class Weights {
  readonly type: StoredType;
  readonly #taken: StoredType;
  readonly #element: string;
  readonly #cx: LoomWriterContext;
  #rounded = false;
  #filled = false;

  constructor(field: ArrowField, stays: boolean, element: string, cx: LoomWriterContext) {
    const { type } = field;
    if (type.id !== "Bool" && type.id !== "Int" && type.id !== "Float") {
      throw new UnsupportedError(`weights of ${describeArrowType(type)}; they are numbers`, { element });
    }
    this.#taken = toWrittenForm({ name: field.name, type, nullable: false }).type;
    this.type = stays || type.id === "Float" ? this.#taken : FLOAT64;
    this.#element = element;
    this.#cx = cx;
    if (this.type !== this.#taken) cx.warn(`${element}: weights of ${describeArrowType(type)} are written as float64`);
  }

  of(column: Column): NumberArray {
    const missing = countUnstorableMissing(this.#taken, column);
    if (missing > 0 && !this.#filled) {
      const problem = `${missing} of ${column.length} weights are missing, for which Loom has no form`;
      if (this.type.kind !== "float")
        throw new UnsupportedElementError(`${problem}: fill them in`, { element: this.#element });
      reportLoss(this.#cx, this.#element, { problem, instead: "they are written as NaN", remedy: "fill them in" });
      this.#filled = true;
    }
    const stored = toStoredValues({ type: this.#taken, shape: [] }, column, missing > 0 ? "fill" : "error");
    if (stored.kind !== "fixed") throw new TypeError("numbers are of fixed width");
    if (this.type === this.#taken) return stored.values;
    const out = allocate(FLOAT64, column.length);
    if (!(out instanceof Float64Array)) throw new TypeError("doubles expected");
    const wrong = toFloats(stored.values, out);
    if (wrong >= 0 && !this.#rounded) {
      const problem = `weight ${stored.values[wrong]} is not exact as float64`;
      reportLoss(this.#cx, this.#element, {
        problem,
        instead: "such weights are rounded",
        remedy: "cast them to Float64",
      });
      this.#rounded = true;
    }
    return out;
  }
}
