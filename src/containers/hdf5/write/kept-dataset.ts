/** Datasets with the chunks of another array, whose bytes are stored as they are. */

import { forEachAtOnce } from "../../../kernels/values/for-each-at-once.js";
import { product } from "../../../model/stored.js";
import type { KeptArray } from "../../tree/container-writer.js";
import { type ChunkPiece, type FilterSpec, type FoundChunks, gridShape } from "../../tree/stored-chunks.js";
import { ChunkList, writeChunkTree } from "./data/chunk-tree.js";
import type { FileState } from "./data/file-state.js";
import { Attributes } from "./messages/attributes.js";
import { datasetMessages } from "./messages/dataset-description.js";
import { keptFilterMessage } from "./messages/dataset-messages.js";
import { datatypeMessage } from "./messages/datatype-message.js";
import { writeHeader } from "./messages/object-header.js";
import type { FileSpace } from "./space/file-space.js";
import { checkShape } from "./values/checks.js";
import { elementBytes } from "./values/element-bytes.js";

/** The most pieces that are stored at once. */
const PIECES_AT_ONCE = 4;

/** The most bytes of a chunk, whose size has 32 bits. */
const MOST_CHUNK_BYTES = 2 ** 32 - 1;

/** Chunks that can be stored here. */
interface KeptChunks extends FoundChunks {
  readonly filters: readonly FilterSpec[];
}

/** Looks for the chunks; null where HDF5 cannot store them. */
export async function foundChunks({ type, shape, chunks, signal }: KeptArray): Promise<KeptChunks | null> {
  const { chunk, behindValues } = chunks;
  if (behindValues === null || shape.length === 0 || product(shape) === 0) return null;
  if (product(chunk) * elementBytes(type) > MOST_CHUNK_BYTES) return null;
  const filters = behindValues.flatMap(({ hdf5 }) => (hdf5 === null ? [] : [hdf5]));
  if (filters.length < behindValues.length) return null;
  return { ...(await chunks.find({ signal })), filters };
}

/** @returns the address of the dataset's header. */
export async function writeKept(
  file: FileState,
  { type, shape, attributes, extendable = false, chunks, signal }: KeptArray,
  found: KeptChunks,
  progress: (done: number, total: number) => void,
): Promise<number> {
  const { space } = file;
  const { chunk } = chunks;
  checkShape(shape);
  const own = new Attributes(file.heap, attributes);
  const list = new ChunkList();
  await forEachAtOnce(found.pieces(false, { signal }), PIECES_AT_ONCE, async (piece) => {
    await store(space, list, piece);
    progress(list.count, found.count);
  });
  await found.checkUnchanged();
  list.sort();
  const bytes = elementBytes(type);
  const columns = gridShape(shape, chunk).slice(1);
  const tree = await writeChunkTree(space, file.chunkK, list, { chunk, columns, elementBytes: bytes });
  const messages = datasetMessages({
    shape,
    // A chunk is no larger than the largest shape that its array can have.
    extendable: shape.flatMap((size, d) => ((extendable && d === 0) || chunk[d] > size ? [d] : [])),
    datatype: datatypeMessage(type),
    variable: false,
    filters: found.filters.length === 0 ? null : keptFilterMessage(found.filters),
    layout: { kind: "chunked", chunk, elementBytes: bytes, tree },
  });
  return writeHeader(space, messages, own.encoded, null);
}

/** Stores the chunks of a piece side by side. */
async function store(space: FileSpace, list: ChunkList, piece: ChunkPiece): Promise<void> {
  if (piece.kind === "file") throw new TypeError("chunks come as bytes");
  const { chunks, isOwn, release } = piece;
  const length = chunks.reduce((sum, one) => sum + one.length, 0);
  const bytes = isOwn || chunks.length === 1 ? piece.bytes : piece.bytes.slice();
  let end = 0;
  const address = space.allocate(length, 1);
  for (const one of chunks) {
    if (one.start !== end) bytes.copyWithin(end, one.start, one.start + one.length);
    list.add(one.place, address + end, one.length, one.skipped);
    end += one.length;
  }
  await space.store(address, bytes.subarray(0, end));
  release();
}
