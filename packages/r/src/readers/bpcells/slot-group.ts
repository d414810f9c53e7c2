/**
 * Opens R objects whose data are in slots, as groups of the arrays that BPCells writes to files. R has no unsigned
 * integers and no 32-bit floats, so R integers contain the bits of these types, and R reals contain 64-bit integers.
 */

import { InvalidDataError, isAnnarrowError, NotFoundError } from "annarrow";
import type { AttributeValue, Node } from "annarrow/core/containers";
import {
  convertArray,
  createTextArray,
  FLOAT32,
  getLength,
  parseVersion,
  reinterpretArray,
  type StoreVersion,
  UINT32,
  UINT64,
} from "annarrow/core/readers";
import type { Group, ReadOptions } from "annarrow/format";

/** Reads the version that a list or an S4 object stores beside the arrays; null if there is none. */
export async function readObjectVersion(object: Group, options: ReadOptions): Promise<string | null> {
  const node = await openOrNull(object, "version", options);
  if (node?.kind !== "array" || node.type.kind !== "text" || getLength(node) !== 1) return null;
  const read = await node.read(0, 1, options);
  return read.kind === "variable" ? new TextDecoder().decode(read.bytes) : null;
}

/**
 * The arrays in the slots of an S4 object, or in a list.
 * @throws {UnsupportedError} for unknown versions.
 */
export class SlotGroup implements Group {
  readonly kind = "group";
  readonly path: string;
  readonly id: string;
  readonly attributes: ReadonlyMap<string, AttributeValue>;
  readonly version: StoreVersion;
  readonly #object: Group;

  constructor(object: Group, version: string) {
    this.path = object.path;
    this.id = object.id;
    this.attributes = new Map([["version", version]]);
    this.version = parseVersion(version);
    this.#object = object;
  }

  keys(options?: ReadOptions): Promise<readonly string[]> {
    return this.#object.keys(options);
  }

  async open(name: string, options: ReadOptions = {}): Promise<Node> {
    const own = await openOrNull(this.#object, name, options);
    if (own !== null) return this.#numbers(name, own);
    switch (name) {
      case "shape":
        return this.#numbers(name, await this.#object.open("dim", options));
      case "storage_order":
        return this.#order(options);
      case "row_names":
        return this.#names(0, options);
      case "col_names":
        return this.#names(1, options);
      default:
        throw new NotFoundError("no such slot", { element: this.path === "" ? name : `${this.path}/${name}` });
    }
  }

  #numbers(name: string, node: Node): Node {
    if (node.kind === "group") return node;
    const { content } = this.version;
    const isValues = name === "val" && content === "matrix" && this.version.values !== "uint";
    if (node.type.kind === "int" && node.type.bits === 32) return reinterpretArray(node, isValues ? FLOAT32 : UINT32);
    if (node.type.kind !== "float" || isValues) return node;
    return convertArray(node, name === "shape" ? UINT32 : UINT64);
  }

  async #order(options: ReadOptions): Promise<Node> {
    const node = await this.#object.open("transpose", options);
    if (node.kind === "array" && node.type.kind === "bool" && getLength(node) === 1) {
      const read = await node.read(0, 1, options);
      return createTextArray([read.kind === "fixed" && read.values[0] === 1 ? "row" : "col"], node.path);
    }
    throw new InvalidDataError("neither TRUE nor FALSE", { element: node.path });
  }

  /** Opens a part of `dimnames`; NULL means no names. */
  async #names(position: 0 | 1, options: ReadOptions): Promise<Node> {
    const both = await this.#object.open("dimnames", options);
    if (isNull(both)) return createTextArray([], both.path);
    const keys = both.kind === "array" ? [] : await both.keys(options);
    if (both.kind === "array" || keys.length !== 2) {
      throw new InvalidDataError("not a list of two", { element: both.path });
    }
    const names = await both.open(keys[position], options);
    return isNull(names) ? createTextArray([], names.path) : names;
  }
}

async function openOrNull(group: Group, name: string, options: ReadOptions): Promise<Node | null> {
  try {
    return await group.open(name, options);
  } catch (error) {
    if (isAnnarrowError(error, "NotFoundError")) return null;
    throw error;
  }
}

function isNull(node: Node): boolean {
  return node.kind === "array" && node.shape === null;
}
