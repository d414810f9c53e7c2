/**
 * Searches for chunks in a version 1 B-tree, the index in all files for HDF5 1.8. Source: File Format Specification,
 * III.A.1.
 */

import type { ReadOptions } from "../../../io/sources/source.js";
import { InvalidDataError } from "../../../model/errors.js";
import { Cursor, createDataView, parseUnsignedAt } from "../bytes/cursor.js";
import { type Hdf5File, readBlocks } from "../file/hdf5-file.js";
import type { ChunkIndex, ChunkSelection, StoredChunk } from "./chunk-index.js";

/** A maximum level that even a tree of 2^53 chunks does not reach. */
const MAX_LEVEL = 32;

/** The usual number of entries in a node. A node with more entries is read a second time. */
const USUAL_ENTRIES = 64;

/** Maximum number of cached node entries. Each takes about 30 bytes. */
const ENTRIES_KEPT = 1 << 18;

/**
 * A node as columns, with one entry per child. Creating an object per child would take most of the time of a listing.
 */
interface TreeNode {
  readonly address: number;
  readonly level: number;
  readonly children: Float64Array;
  /** The offsets of the children, and an additional upper bound. */
  readonly offsets: Float64Array;
  readonly sizes: Uint32Array;
  readonly masks: Uint32Array;
}

/** A range of rows and a range of columns, both starting at a multiple of the chunk size. */
interface Corners {
  readonly rows: readonly number[];
  readonly columns: readonly number[];
}

export class ChunkTree implements ChunkIndex {
  readonly #file: Hdf5File;
  readonly #root: number;
  readonly #chunk: readonly number[];
  readonly #nodes = new Map<number, TreeNode>();
  #entries = 0;

  constructor(file: Hdf5File, root: number, chunk: readonly number[]) {
    this.#file = file;
    this.#root = root;
    this.#chunk = chunk;
  }

  /** Finds chunks level by level, so that the nodes of one level can be fetched together over a network. */
  async find({ rows: [start, end], columns, shape }: ChunkSelection, options?: ReadOptions): Promise<StoredChunk[]> {
    const rank = this.#chunk.length;
    const firstRow = start - (start % this.#chunk[0]);
    const wanted = columns && {
      rows: [firstRow, end],
      columns: [columns[0] - (columns[0] % this.#chunk[1]), columns[1]],
    };
    const seen = new Set([this.#root]);
    let nodes = await this.#read([this.#root], null, options);
    while (nodes.length > 0 && nodes[0].level > 0) {
      options?.signal?.throwIfAborted();
      const below: number[] = [];
      for (const { children, offsets } of nodes) {
        for (let k = 0; k < children.length; k++) {
          if (offsets[k * rank] >= end || offsets[(k + 1) * rank] < firstRow) continue;
          if (wanted !== undefined && !this.#canHold(offsets, k, wanted)) continue;
          if (seen.has(children[k]))
            throw new InvalidDataError(`chunk index leads twice to the node at ${children[k]}`);
          seen.add(children[k]);
          below.push(children[k]);
        }
      }
      nodes = await this.#read(below, nodes[0].level, options);
    }
    const found: StoredChunk[] = [];
    const first = [firstRow, wanted?.columns[0] ?? 0];
    const last = shape.map((size, d) => (d === 0 ? end : d === 1 ? (wanted?.columns[1] ?? size) : size));
    for (const node of nodes) this.#collect(found, node, first, last, shape);
    return found;
  }

  /** True if a chunk that begins in these rows and columns can lie between offset `k` and the next offset. */
  #canHold(offsets: Float64Array, k: number, { rows: [top, bottom], columns: [left, right] }: Corners): boolean {
    const rank = this.#chunk.length;
    const [firstRow, firstCol] = offsets.subarray(k * rank, k * rank + 2);
    const [lastRow, lastCol] = offsets.subarray((k + 1) * rank, (k + 1) * rank + 2);
    if (firstRow === lastRow) return firstCol < right && left <= lastCol;
    // A chunk can lie in a row of chunks between the two offsets, in the rest of the row that contains the first
    // offset, or at the start of the row that contains the last offset.
    const between = Math.max(firstRow + this.#chunk[0], top);
    if (between < Math.min(lastRow, bottom)) return true;
    return (firstRow >= top && firstCol < right) || (lastRow < bottom && left <= lastCol);
  }

  #collect(
    found: StoredChunk[],
    node: TreeNode,
    first: readonly number[],
    last: readonly number[],
    shape: readonly number[],
  ): void {
    const rank = shape.length;
    const { children, offsets, sizes, masks } = node;
    const [firstRow, left] = first;
    const end = last[0];
    const right = rank > 1 ? last[1] : Number.POSITIVE_INFINITY;
    for (let k = 0, at = 0; k < children.length; k++, at += rank) {
      if (offsets[at] < firstRow || offsets[at] >= end) continue;
      if (rank > 1 && (offsets[at + 1] < left || offsets[at + 1] >= right)) continue;
      let inside = true;
      for (let d = 0; d < rank; d++) if (offsets[at + d] >= shape[d]) inside = false;
      if (!inside) continue;
      const offset: number[] = [];
      for (let d = 0; d < rank; d++) offset.push(offsets[at + d]);
      found.push({ offset, address: children[k], storedBytes: sizes[k], filterMask: masks[k] });
    }
  }

  /**
   * Reads nodes from one level, in order.
   * @param above the level above these nodes; null for the root.
   */
  async #read(addresses: readonly number[], above: number | null, options?: ReadOptions): Promise<TreeNode[]> {
    const missing = addresses.filter((address) => !this.#nodes.has(address));
    const size = this.#file.size;
    const usual = this.#nodeBytes(USUAL_ENTRIES);
    const ranges = missing.map((address) => ({ address, length: Math.max(1, Math.min(usual, size - address)) }));
    const read = await readBlocks(this.#file, ranges, options);
    const fresh = new Map<number, TreeNode>();
    for (const [i, address] of missing.entries()) fresh.set(address, await this.#parse(address, read[i], options));
    const nodes = addresses.flatMap((address) => fresh.get(address) ?? this.#nodes.get(address) ?? []);
    for (const { level, address } of nodes) {
      if (above === null ? level > MAX_LEVEL : level !== above - 1) {
        throw new InvalidDataError(
          `chunk index node at ${address} has level ${level}, ${above === null ? `above ${MAX_LEVEL}` : `below level ${above}`}`,
        );
      }
    }
    this.#checkOrder(nodes);
    for (const node of fresh.values()) this.#keep(node);
    return nodes;
  }

  /** Checks that chunks are in strictly ascending order, so that no chunk is repeated. */
  #checkOrder(nodes: readonly TreeNode[]): void {
    let before: TreeNode | null = null;
    for (const node of nodes) {
      if (node.children.length === 0) continue;
      if (before !== null && !this.#isAscending(before.offsets, before.children.length - 1, node.offsets, 0)) {
        throw new InvalidDataError(`chunk index node at ${node.address} is not behind the one at ${before.address}`);
      }
      before = node;
    }
  }

  #keep(node: TreeNode): void {
    if (this.#entries >= ENTRIES_KEPT) {
      this.#nodes.clear();
      this.#entries = 0;
    }
    this.#nodes.set(node.address, node);
    this.#entries += node.children.length + 1;
  }

  #nodeBytes(entries: number): number {
    const { offsets } = this.#file.sizes;
    const keyBytes = 8 + 8 * (this.#chunk.length + 1);
    return 8 + 2 * offsets + entries * (keyBytes + offsets) + keyBytes;
  }

  async #parse(address: number, start: Uint8Array, options?: ReadOptions): Promise<TreeNode> {
    const what = `chunk index node at ${address}`;
    const header = new Cursor(start, what);
    const signature = String.fromCharCode(...header.take(4));
    const type = header.u8();
    if (signature !== "TREE" || type !== 1) throw new InvalidDataError(`there is no chunk index at address ${address}`);
    const level = header.u8();
    const entries = header.u16();
    if (level > 0 && entries === 0) throw new InvalidDataError(`${what} has no entries`);
    const bytes = entries > USUAL_ENTRIES ? await this.#file.read(address, this.#nodeBytes(entries), options) : start;
    const length = this.#nodeBytes(entries);
    if (bytes.length < length) {
      throw new InvalidDataError(`${what} has ${entries} entries in ${bytes.length} bytes instead of ${length}`);
    }
    const rank = this.#chunk.length;
    const width = this.#file.sizes.offsets;
    const view = createDataView(bytes);
    const children = new Float64Array(entries);
    const offsets = new Float64Array((entries + 1) * rank);
    const sizes = new Uint32Array(entries);
    const masks = new Uint32Array(entries);
    for (let k = 0, at = 8 + 2 * width; k <= entries; k++) {
      for (let d = 0; d < rank; d++) offsets[k * rank + d] = parseUnsignedAt(view, at + 8 + 8 * d, 8);
      const isBound = k === entries;
      // The last bound can equal the last child's own offset.
      const inOrder = isBound
        ? !this.#isAscending(offsets, k, offsets, Math.max(0, k - 1))
        : k === 0 || this.#isAscending(offsets, k - 1, offsets, k);
      if (!inOrder) throw new InvalidDataError(`${what} is not in order`);
      if (isBound) break;
      if (level === 0) this.#checkOffset(offsets, k);
      sizes[k] = view.getUint32(at, true);
      masks[k] = view.getUint32(at + 4, true);
      children[k] = parseUnsignedAt(view, at + 16 + 8 * rank, width);
      at += 16 + 8 * rank + width;
    }
    return { address, level, children, offsets, sizes, masks };
  }

  #checkOffset(offsets: Float64Array, k: number): void {
    const rank = this.#chunk.length;
    for (let d = 0; d < rank; d++) {
      if (offsets[k * rank + d] % this.#chunk[d] === 0) continue;
      const offset = offsets.subarray(k * rank, (k + 1) * rank);
      throw new InvalidDataError(`chunk at ${offset.join()} does not begin at a multiple of ${this.#chunk.join()}`);
    }
  }

  /** True if offset `i` of `a` is less than offset `k` of `b`, comparing the first dimension first. */
  #isAscending(a: Float64Array, i: number, b: Float64Array, k: number): boolean {
    const rank = this.#chunk.length;
    for (let d = 0; d < rank; d++) {
      const left = a[i * rank + d];
      const right = b[k * rank + d];
      if (left !== right) return left < right;
    }
    return false;
  }
}
