/** `/row_graphs/<name>`, `/col_graphs/<name>` and the `row_edges`, `col_edges` of old files: edges `a`, `b`, `w`. */

import { field } from "../../arrow/type.js";
import type { Group, Node, StoredArray } from "../../containers/tree/container.js";
import { columnType } from "../../jobs/rows/columns.js";
import { InvalidDataError, isAnnarrowError, NotFoundError } from "../../model/errors.js";
import { openChild } from "../context.js";
import type { TableElement } from "../element.js";
import { inOrder } from "../in-order.js";
import { type LoomContext, lastModified } from "./context.js";
import { EdgeEnds } from "./edge-ends.js";

/** The ends of more edges are first looked at when they are read. */
const MAX_CHECKED_EDGES = 2 ** 22;

/**
 * A graph as coordinate table, in stored order: duplicates and zeros stay.
 * @param size the number of nodes.
 * @throws {InvalidDataError} where the arrays are no edges of such a graph.
 */
export async function graphElement(node: Node, size: number, cx: LoomContext): Promise<TableElement> {
  if (node.kind !== "group") throw new InvalidDataError("an array, a group with a, b and w is needed");
  const [a, b, w] = await inOrder(["a", "b", "w"], (name) => numbersOf(node, name, cx));
  const [edges, others, weights] = [a, b, w].map(({ shape }) => shape?.[0] ?? 0);
  if (edges !== others || edges !== weights) {
    throw new InvalidDataError(`a has ${edges}, b has ${others}, w has ${weights} values`);
  }
  const ends = new EdgeEnds(a, b, size);
  const { oneBased } = edges <= MAX_CHECKED_EDGES ? await ends.check(cx.options) : { oneBased: false };
  if (oneBased) {
    cx.warn(
      `${node.path}: the ends of edges are 1 … ${size} in a graph of ${size} nodes, so they seem to be counted from 1; they are kept as they are`,
    );
  }
  const columns = [ends.positions("a"), ends.positions("b"), w].map((array) => ({ kind: "array", array }) as const);
  const names = ["row", "col", "value"];
  return {
    kind: "table",
    fields: columns.map((column, i) => field(names[i], columnType(column), false)),
    metadata: {
      ...{ kind: "coo_matrix", shape: [size, size], order: null, indices: typeName(a) },
      ...(oneBased ? { base: 1 } : {}),
      ...lastModified(node),
    },
    rows: edges,
    plan: { kind: "columns", columns },
    shape: [size, size],
  };
}

async function numbersOf(group: Group, name: string, cx: LoomContext): Promise<StoredArray> {
  const node = await openChild(group, name, cx).catch((error: unknown) => {
    if (isAnnarrowError(error, "NotFoundError")) throw new NotFoundError(`a graph without ${name}`, { cause: error });
    throw error;
  });
  if (node.kind !== "array") throw new InvalidDataError(`${name} is a group, an array is needed`);
  const { kind } = node.type;
  if (node.shape?.length !== 1 || !(kind === "int" || kind === "float")) {
    throw new InvalidDataError(
      `${name} holds ${kind} of shape ${JSON.stringify(node.shape)}, a list of numbers is needed`,
    );
  }
  return node;
}

/** The numpy name of a type of numbers. */
function typeName({ type }: StoredArray): string {
  if (type.kind === "int") return `${type.signed ? "int" : "uint"}${type.bits}`;
  return type.kind === "float" ? `float${type.bits}` : type.kind;
}
