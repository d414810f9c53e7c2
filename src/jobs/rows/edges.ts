/** Scans a part of a graph: edges whose two ends are selected, with the new indices of the ends. */

import type { Column } from "../../arrow/column.js";
import { createCheckedMinorColumn } from "../../arrow/sparse.js";
import { takeColumn } from "../../arrow/take.js";
import type { MinorMap } from "../../kernels/sparse/minor-map.js";
import { InvalidDataError, UnsupportedError } from "../../model/errors.js";
import type { NumberArray } from "../../model/stored.js";
import type { EdgesPlan } from "../plan/plan.js";
import { getColumnRowCount, readColumn, type Scan } from "./columns.js";
import type { Batch } from "./task.js";

/** Number of stored edges that are read in one batch. */
const AT_ONCE = 2 ** 18;

/** Maximum number of edges that a batch of stored edges may expand to. Repeated nodes multiply their edges. */
const MAX_EDGES = 2 ** 26;

/** Yields the edges of the part in stored order, at least one batch. Only a scan can determine the number of edges. */
export async function* scanEdges({ columns, nodes }: EdgesPlan, { fields, state }: Scan): AsyncGenerator<Batch> {
  const edges = getColumnRowCount(columns[0]);
  let at = 0;
  do {
    const range = { start: at, end: Math.min(edges, at + AT_ONCE) };
    const ends = [await readColumn(columns[0], range, state), await readColumn(columns[1], range, state)];
    const kept = keptEdges(nodes, positions(ends[0]), positions(ends[1]));
    const batch: Column[] = [];
    for (const field of fields) {
      if (field < 2) batch.push(createCheckedMinorColumn(field === 0 ? kept.row : kept.col, nodes.kept));
      else batch.push(takeColumn(await readColumn(columns[field], range, state), kept.places));
    }
    yield { length: kept.places.length, columns: batch };
    at = range.end;
  } while (at < edges);
}

interface KeptEdges {
  /** Index of each selected edge among the given edges. */
  readonly places: Int32Array;
  readonly row: Int32Array;
  readonly col: Int32Array;
}

/** Returns the edges between selected nodes. A node selected several times multiplies its edges. */
function keptEdges({ stored, offsets, places }: MinorMap, a: NumberArray, b: NumberArray): KeptEdges {
  let count = 0;
  for (let i = 0; i < a.length; i++) {
    const [from, to] = [Number(a[i]), Number(b[i])];
    if (!(from >= 0 && from < stored && to >= 0 && to < stored)) {
      throw new InvalidDataError(`an edge from ${from} to ${to}, the graph has the nodes 0 … ${stored - 1}`);
    }
    count += (offsets[from + 1] - offsets[from]) * (offsets[to + 1] - offsets[to]);
  }
  if (count > MAX_EDGES) {
    throw new UnsupportedError(`${count} edges of one batch, at most ${MAX_EDGES}: choose positions less often`);
  }
  const kept = { places: new Int32Array(count), row: new Int32Array(count), col: new Int32Array(count) };
  for (let i = 0, at = 0; i < a.length; i++) {
    const [from, to] = [Number(a[i]), Number(b[i])];
    for (let p = offsets[from]; p < offsets[from + 1]; p++) {
      for (let q = offsets[to]; q < offsets[to + 1]; q++, at++) {
        kept.places[at] = i;
        kept.row[at] = places[p];
        kept.col[at] = places[q];
      }
    }
  }
  return kept;
}

function positions(column: Column): NumberArray {
  if (column.layout === "primitive" && column.type.id === "Int") return column.values;
  throw new InvalidDataError("the ends of edges are integers");
}
