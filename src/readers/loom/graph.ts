/**
 * Graphs: `a`, `b`, `w` in `/row_graphs/<name>` and `/col_graphs/<name>`, or in `row_edges` and `col_edges` in old
 * files.
 */

import { createField, getCoordinateType } from "../../arrow/type.js";
import type { Group, Node, StoredArray } from "../../containers/tree/container.js";
import type { ReadOptions } from "../../io/sources/source.js";
import { getColumnType } from "../../jobs/rows/columns.js";
import { decodeFloat16 } from "../../kernels/values/number-bits.js";
import { InvalidDataError, isAnnarrowError, NotFoundError, runWithLocation } from "../../model/errors.js";
import type { StoredValues } from "../../model/stored.js";
import { mapConcurrently } from "../concurrency.js";
import type { TableElement } from "../element.js";
import { openChild } from "../reader.js";
import { getLastModified, type LoomContext } from "./array.js";

/**
 * Maximum number of edges whose ends are checked when a graph is opened. The ends of further edges are checked when
 * they are read.
 */
const MAX_CHECKED_EDGES = 2 ** 22;

/**
 * Opens a graph as a coordinate table in stored order, with duplicates and zeros.
 * @param size the number of nodes.
 * @throws {InvalidDataError} if the arrays are not the edges of a graph of this size.
 */
export async function openGraphElement(node: Node, size: number, cx: LoomContext): Promise<TableElement> {
  if (node.kind !== "group") throw new InvalidDataError("an array, a group with a, b and w is needed");
  const [a, b, w] = await mapConcurrently(["a", "b", "w"], (name) => numbersOf(node, name, cx));
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
    fields: columns.map((column, i) => createField(names[i], getColumnType(column), false)),
    metadata: {
      ...{ kind: "coo_matrix", shape: [size, size], order: null, indices: typeName(a) },
      ...(oneBased ? { base: 1 } : {}),
      ...getLastModified(node),
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

/** Returns numpy's name for a numeric type. */
function typeName({ type }: StoredArray): string {
  if (type.kind === "int") return `${type.signed ? "int" : "uint"}${type.bits}`;
  return type.kind === "float" ? `float${type.bits}` : type.kind;
}

/** Ends that are checked per read. */
const BLOCK = 2 ** 18;

interface Extremes {
  readonly least: number;
  readonly most: number;
}

class EdgeEnds {
  readonly #a: StoredArray;
  readonly #b: StoredArray;
  readonly #size: number;
  #checked: Promise<{ readonly oneBased: boolean }> | null = null;

  /** @param size the number of nodes. */
  constructor(a: StoredArray, b: StoredArray, size: number) {
    this.#a = a;
    this.#b = b;
    this.#size = size;
  }

  /**
   * Checks all ends, only once. Nodes are numbered from 0. If no end is 0 and one is `size`, the file numbers them from
   * 1.
   * @throws {InvalidDataError} if an end is not a whole number, or is not a node.
   */
  check(options: ReadOptions): Promise<{ readonly oneBased: boolean }> {
    this.#checked ??= this.#check(options).catch((error: unknown) => {
      this.#checked = null;
      throw error;
    });
    return this.#checked;
  }

  async #check(options: ReadOptions): Promise<{ readonly oneBased: boolean }> {
    const a = await extremes(this.#a, options);
    const b = await extremes(this.#b, options);
    const oneBased = Math.min(a.least, b.least) >= 1 && Math.max(a.most, b.most) === this.#size;
    for (const [array, { least, most }] of [
      [this.#a, a],
      [this.#b, b],
    ] as const) {
      const wrong = least < 0 ? least : most >= this.#size && !oneBased ? most : null;
      if (wrong !== null) {
        throw new InvalidDataError(`holds ${wrong}, the graph has the nodes 0 … ${this.#size - 1}`, {
          element: array.path,
        });
      }
    }
    return { oneBased };
  }

  /** Returns one of the two arrays as Int32, or as Int64 for a large graph. The first read checks all ends. */
  positions(which: "a" | "b"): StoredArray {
    const array = which === "a" ? this.#a : this.#b;
    const { kind, path, id, attributes, shape, chunks } = array;
    const { bits, signed } = getCoordinateType(this.#size);
    return {
      ...{ kind, path, id, attributes, shape, chunks },
      type: { kind: "int", bits, signed },
      read: async (start, end, options = {}) => {
        await this.check(options);
        const values = numbers(array, await array.read(start, end, options));
        return { kind: "fixed", values: bits === 64 ? BigInt64Array.from(values, BigInt) : Int32Array.from(values) };
      },
    };
  }
}

async function extremes(array: StoredArray, options: ReadOptions): Promise<Extremes> {
  const count = array.shape?.[0] ?? 0;
  // Reading whole chunks means that no chunk is decoded twice.
  const chunk = array.chunks?.[0] ?? 1;
  const step = Math.max(1, Math.round(BLOCK / chunk)) * chunk;
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < count; at += step) {
    const stop = Math.min(count, at + step);
    const values = await runWithLocation({ element: array.path }, async () =>
      numbers(array, await array.read(at, stop, options)),
    );
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      if (!Number.isInteger(value)) {
        throw new InvalidDataError(`value ${at + i} is ${value}, no position of a node`, { element: array.path });
      }
      if (value < least) least = value;
      if (value > most) most = value;
    }
  }
  return { least, most };
}

function numbers({ type }: StoredArray, read: StoredValues): Float64Array {
  if (read.kind !== "fixed") throw new InvalidDataError("no numbers");
  const half = type.kind === "float" && type.bits === 16;
  const { values } = read;
  const out = new Float64Array(values.length);
  for (let i = 0; i < values.length; i++) out[i] = half ? decodeFloat16(Number(values[i])) : Number(values[i]);
  return out;
}
