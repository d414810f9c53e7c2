/** Finds chunks in a version 1 B-tree, the index of all files for HDF5 1.8. Source: File Format Specification, III.A.1. */

import { InvalidDataError } from "../../errors.js";
import type { ReadOptions } from "../../sources/source.js";
import { Cursor } from "./cursor.js";
import type { FileBytes } from "./file-bytes.js";

export interface Chunk {
  /** Of its first element, in elements. */
  readonly offset: readonly number[];
  readonly address: number;
  readonly storedBytes: number;
  /** Bit k: filter k was skipped. */
  readonly filterMask: number;
}

/** Deeper than any tree of 2^53 chunks. */
const MAX_LEVEL = 32;

/** Entries of a node in nearly every file; where there are more, the node is read once more. */
const USUAL_ENTRIES = 64;

const NODES_KEPT = 512;

interface TreeNode {
  readonly level: number;
  /** One key more than children: the last is only a bound. */
  readonly keys: readonly Key[];
  readonly children: readonly number[];
}

interface Key {
  readonly offset: readonly number[];
  readonly storedBytes: number;
  readonly filterMask: number;
}

export class ChunkTree {
  readonly #file: FileBytes;
  readonly #root: number;
  readonly #chunk: readonly number[];
  readonly #nodes = new Map<number, TreeNode>();

  constructor(file: FileBytes, root: number, chunk: readonly number[]) {
    this.#file = file;
    this.#root = root;
    this.#chunk = chunk;
  }

  /**
   * The stored chunks that hold a part of rows [start, end), in the tree's order.
   * @param shape of the dataset; chunks wholly outside of it (left by a shrunk dataset) are passed over.
   * @throws {InvalidDataError} where the tree is damaged.
   */
  async find(start: number, end: number, shape: readonly number[], options?: ReadOptions): Promise<Chunk[]> {
    const found: Chunk[] = [];
    const seen = new Set<string>();
    const firstRow = start - (start % this.#chunk[0]);
    const visit = async (address: number, above: number | null): Promise<void> => {
      options?.signal?.throwIfAborted();
      const node = await this.#node(address, above, options);
      for (let k = 0; k < node.children.length; k++) {
        const key = node.keys[k];
        if (key.offset[0] >= end || node.keys[k + 1].offset[0] < firstRow) continue;
        if (node.level > 0) {
          await visit(node.children[k], node.level);
          continue;
        }
        if (key.offset[0] < firstRow || key.offset.some((at, d) => at >= shape[d])) continue;
        const name = key.offset.join();
        if (seen.has(name)) throw new InvalidDataError(`chunk at ${name} is stored twice`);
        seen.add(name);
        found.push({ ...key, address: node.children[k] });
      }
    };
    await visit(this.#root, null);
    return found;
  }

  async #node(address: number, above: number | null, options?: ReadOptions): Promise<TreeNode> {
    const known = this.#nodes.get(address);
    const node = known ?? (await this.#readNode(address, options));
    if (above === null ? node.level > MAX_LEVEL : node.level !== above - 1) {
      throw new InvalidDataError(
        `chunk index node at ${address} has level ${node.level}, ${above === null ? `above ${MAX_LEVEL}` : `below level ${above}`}`,
      );
    }
    if (known === undefined) {
      if (this.#nodes.size >= NODES_KEPT) this.#nodes.clear();
      this.#nodes.set(address, node);
    }
    return node;
  }

  async #readNode(address: number, options?: ReadOptions): Promise<TreeNode> {
    const { offsets } = this.#file.sizes;
    const rank = this.#chunk.length;
    const keyBytes = 8 + 8 * (rank + 1);
    const prefix = 8 + 2 * offsets;
    const nodeBytes = (entries: number) => prefix + entries * (keyBytes + offsets) + keyBytes;
    let bytes = await this.#file.readUpTo(address, nodeBytes(USUAL_ENTRIES), options);
    const what = `chunk index node at ${address}`;
    let cursor = new Cursor(bytes, what);
    const signature = String.fromCharCode(...cursor.take(4));
    const type = cursor.u8();
    if (signature !== "TREE" || type !== 1) throw new InvalidDataError(`there is no chunk index at address ${address}`);
    const level = cursor.u8();
    const entries = cursor.u16();
    if (entries > USUAL_ENTRIES) bytes = await this.#file.read(address, nodeBytes(entries), options);
    cursor = new Cursor(bytes, what, prefix);
    const keys: Key[] = [this.#key(cursor)];
    const children: number[] = [];
    for (let k = 0; k < entries; k++) {
      children.push(cursor.uint(offsets));
      keys.push(this.#key(cursor));
      if (keys[k + 1].offset[0] < keys[k].offset[0]) throw new InvalidDataError(`${what} is not in order`);
    }
    for (const key of level === 0 ? keys.slice(0, -1) : []) {
      if (key.offset.some((at, d) => at % this.#chunk[d] !== 0)) {
        throw new InvalidDataError(
          `chunk at ${key.offset.join()} does not begin at a multiple of ${this.#chunk.join()}`,
        );
      }
    }
    return { level, keys, children };
  }

  #key(cursor: Cursor): Key {
    const storedBytes = cursor.u32();
    const filterMask = cursor.u32();
    const offset = this.#chunk.map(() => cursor.uint(8));
    cursor.skip(8);
    return { offset, storedBytes, filterMask };
  }
}
