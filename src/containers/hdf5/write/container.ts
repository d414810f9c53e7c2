/** Writes HDF5 files. Source: HDF5 File Format Specification, limited to features that libraries since 1.6 can read. */

import type { ByteTarget } from "../../../io/targets/target.js";
import { InvalidInputError, NotFoundError } from "../../../model/errors.js";
import type { ChunkEncoder, ContainerWriter } from "../../tree/container-writer.js";
import {
  ActionQueue,
  createLocatedError,
  type FileState,
  type Hdf5Compression,
  type Shuffle,
} from "./data/file-state.js";
import { Hdf5GroupWriter } from "./group.js";
import { reserveHeader } from "./messages/object-header.js";
import { CHUNK_K, LEAF_K, TREE_K } from "./space/b-trees.js";
import { ByteBuilder } from "./space/byte-builder.js";
import { ChunkQueue } from "./space/chunk-queue.js";
import { FileSpace } from "./space/file-space.js";
import { GlobalHeapWriter } from "./space/global-heap.js";
import type { WrittenGroup } from "./symbol-table.js";

export interface Hdf5Options {
  /** The encoder for chunks, which the caller closes. */
  readonly encoder: ChunkEncoder;
  readonly compression: Hdf5Compression;
  /**
   * The elements whose bytes are regrouped before compression; by default no elements. Regrouping shrinks integers and
   * pointers into a heap, but enlarges floats with few digits.
   */
  readonly shuffle?: Shuffle;
  /** Adds a checksum to chunks. Even arrays of known shape are then chunked. */
  readonly fletcher32?: boolean;
  /** The bytes before the HDF5 content, which are padded to a length that HDF5 allows. */
  readonly userBlock?: Uint8Array;
  /**
   * Maximum size in bytes of an array that is stored in its header. This saves space, but some small readers do not
   * support this layout.
   */
  readonly compactBytes?: number;
  /**
   * Whether to use a flatter index (superblock 1), for arrays with more than about 10^5 chunks. libhdf5 reads it
   * several times faster.
   */
  readonly manyChunks?: boolean;
}

export interface Hdf5Writer extends ContainerWriter {
  readonly kind: "hdf5";
  /**
   * Returns the value of type `reference` for the element at `path`, even if the element is incomplete; "" is the root.
   * @throws {NotFoundError} if there is no such element.
   */
  reference(path: string): bigint;
  reserve(path: string): bigint;
}

const MANY_CHUNKS_K = 1024;

/** Minimum length of a user block. Longer blocks double this length repeatedly. */
const LEAST_USER_BLOCK = 512;

/** Maximum number of data bytes that a header's size field allows. */
const MAX_COMPACT_BYTES = 65_520;

/**
 * Begins an HDF5 file. `close` writes its signature last, so a file that is abandoned earlier cannot be opened.
 * @param target the target, which the caller commits or aborts.
 */
export function createHdf5(target: ByteTarget, options: Hdf5Options): Hdf5Writer {
  const { encoder, compression, userBlock = new Uint8Array(0), compactBytes = 0 } = options;
  checkOptions(options);
  const chunkK = options.manyChunks ? MANY_CHUNKS_K : null;
  const base = userBlockBytes(userBlock.length);
  const space = new FileSpace(target, base);
  const superblockAt = space.allocate(superblockBytes(chunkK));
  if (base > 0) space.place(-base, paddedTo(base, userBlock));
  const heap = new GlobalHeapWriter(space);
  const queue = new ChunkQueue(encoder, space);
  const file: FileState = {
    name: target.name,
    space,
    heap,
    queue,
    turns: new ActionQueue(),
    compression,
    shuffle: options.shuffle ?? "none",
    fletcher32: options.fletcher32 ?? false,
    compactBytes: Math.min(compactBytes, MAX_COMPACT_BYTES),
    chunkK: chunkK ?? CHUNK_K,
    openArrays: new Set(),
    reserved: new Map(),
    closed: false,
  };
  const root = new Hdf5GroupWriter(file, "");
  const finish = async () => {
    try {
      await queue.drain();
      heap.close();
      const written = await writeGroups(root);
      // The file ends at a multiple of 8.
      space.append(new Uint8Array((8 - (space.end % 8)) % 8), 1);
      await space.flush();
      space.place(superblockAt, superblock(chunkK, base, space.end, written));
      await space.flush();
    } catch (error) {
      throw createLocatedError(target.name, "", error);
    }
  };
  let finished: Promise<void> | null = null;
  return {
    kind: "hdf5",
    name: target.name,
    root,
    reference: (path) => BigInt(find(root, path, target.name).address()),
    reserve: (path) => {
      const address = file.reserved.get(path) ?? reserveHeader(space);
      file.reserved.set(path, address);
      return BigInt(address);
    },
    close: () =>
      file.turns.take(async () => {
        const [open] = file.openArrays;
        if (open !== undefined) {
          const others = file.openArrays.size - 1;
          throw new TypeError(
            `${target.name}: ${open}: the array is still open${others > 0 ? `, and ${others} more` : ""}`,
          );
        }
        const [missing] = file.reserved.keys();
        if (missing !== undefined) throw new TypeError(`${target.name}: ${missing}: the array was never added`);
        file.closed = true;
        finished ??= finish();
        await finished;
      }),
  };
}

function checkOptions({ compression, compactBytes = 0 }: Hdf5Options): void {
  if (compression.kind === "gzip") {
    const { level } = compression;
    if (!Number.isInteger(level) || level < 0 || level > 9) {
      throw new InvalidInputError(`gzip level ${level}; 0 to 9 exist`);
    }
  }
  if (!Number.isInteger(compactBytes) || compactBytes < 0) {
    throw new InvalidInputError(`compact arrays of up to ${compactBytes} bytes`);
  }
}

function userBlockBytes(length: number): number {
  if (length === 0) return 0;
  let bytes = LEAST_USER_BLOCK;
  while (bytes < length) bytes *= 2;
  return bytes;
}

function paddedTo(length: number, bytes: Uint8Array): Uint8Array {
  const padded = new Uint8Array(length);
  padded.set(bytes);
  return padded;
}

function find(root: Hdf5GroupWriter, path: string, source: string) {
  let at: ReturnType<Hdf5GroupWriter["child"]> = root;
  for (const name of path === "" ? [] : path.split("/")) {
    at = at instanceof Hdf5GroupWriter ? at.child(name) : undefined;
    if (at === undefined) throw new NotFoundError("there is no such element to refer to", { source, element: path });
  }
  return at;
}

/**
 * Writes the groups, deepest first, because a group needs the addresses of its members. It does not recurse, so any
 * depth is safe.
 */
async function writeGroups(root: Hdf5GroupWriter): Promise<WrittenGroup> {
  const order: Hdf5GroupWriter[] = [];
  for (const open = [root]; open.length > 0; ) {
    const group = open.pop();
    if (group === undefined) break;
    order.push(group);
    for (const below of group.groups) open.push(below);
  }
  let last = await order[order.length - 1].write();
  for (let i = order.length - 2; i >= 0; i--) last = await order[i].write();
  return last;
}

/** Half the number of children that fit into a node of a chunk index; null for the number that version 0 implies. */
type ChunkK = number | null;

const superblockBytes = (chunkK: ChunkK): number => (chunkK === null ? 96 : 100);

/**
 * @param base the superblock's position in the file, which is address 0.
 * @param end the file's length, excluding `base`.
 */
function superblock(chunkK: ChunkK, base: number, end: number, root: WrittenGroup): Uint8Array {
  const out = new ByteBuilder(100);
  out.u8(0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a);
  // Versions of the superblock, free space, root entry, a zero, shared messages; sizes of addresses and lengths.
  out.u8(chunkK === null ? 0 : 1, 0, 0, 0, 0, 8, 8, 0);
  out.u16(LEAF_K).u16(TREE_K).u32(0);
  if (chunkK !== null) out.u16(chunkK).u16(0);
  // The file has no free-space information and no driver information block. Its end is an absolute position.
  out
    .u64(base)
    .address(null)
    .u64(base + end)
    .address(null);
  out.u64(0).u64(root.header).u32(1).u32(0).u64(root.tree).u64(root.heap);
  return out.finish();
}
