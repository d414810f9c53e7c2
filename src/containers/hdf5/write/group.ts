/** Writes groups, whose members are known only at the end. */

import { processConcurrently } from "../../../kernels/values/for-each-at-once.js";
import { InvalidInputError } from "../../../model/errors.js";
import { countElements } from "../../../model/stored.js";
import type {
  ArrayDescription,
  ArrayWriter,
  ChunkCopy,
  CopyChunks,
  GroupWriter,
  WrittenAttribute,
  WrittenAttributes,
} from "../../tree/container-writer.js";
import {
  computeGridShape,
  type FilterSpec,
  type FoundChunks,
  type StoredChunkBatch,
} from "../../tree/stored-chunks.js";
import { ChunkList, writeChunkTree } from "./data/chunk-tree.js";
import { createLocatedError, type FileState } from "./data/file-state.js";
import { DatasetWriter } from "./dataset.js";
import { Attributes } from "./messages/attributes.js";
import { encodeDatasetMessages } from "./messages/dataset-description.js";
import { encodeCopiedFilterMessage } from "./messages/dataset-messages.js";
import { encodeDatatypeMessage } from "./messages/datatype-message.js";
import { reserveHeader, writeHeader } from "./messages/object-header.js";
import type { FileSpace } from "./space/file-space.js";
import { type Member, type WrittenGroup, writeGroup } from "./symbol-table.js";
import { checkShape, encodeLinkName } from "./values/checks.js";
import { countElementBytes } from "./values/element-bytes.js";

type Child = Hdf5GroupWriter | DatasetWriter | WrittenDataset;

/** The address of a complete array. Everything else is discarded, because there may be millions of arrays. */
class WrittenDataset {
  readonly header: number;

  constructor(header: number) {
    this.header = header;
  }

  address(): number {
    return this.header;
  }
}

interface Entry {
  readonly name: Uint8Array;
  child: Child;
}

export class Hdf5GroupWriter implements GroupWriter {
  readonly path: string;
  readonly #file: FileState;
  readonly #attributes: Attributes;
  readonly #children = new Map<string, Entry>();
  #reserved: number | null = null;
  #written: WrittenGroup | null = null;

  constructor(file: FileState, path: string, attributes?: WrittenAttributes) {
    this.path = path;
    this.#file = file;
    this.#attributes = new Attributes(file.heap, attributes);
  }

  attribute(name: string, attribute: WrittenAttribute): void {
    try {
      this.#checkOpen();
      this.#attributes.add(name, attribute);
    } catch (error) {
      throw createLocatedError(this.#file.name, this.path, error);
    }
  }

  group(name: string, attributes?: WrittenAttributes): Promise<GroupWriter> {
    return this.#add(name, (path) => new Hdf5GroupWriter(this.#file, path, attributes));
  }

  array(name: string, description: ArrayDescription): Promise<ArrayWriter> {
    return this.#add(name, (path) => {
      const complete = (header: number) => {
        const entry = this.#children.get(name);
        if (entry !== undefined) entry.child = new WrittenDataset(header);
      };
      return new DatasetWriter(this.#file, path, description, complete);
    });
  }

  async keep(name: string, array: ChunkCopy): Promise<CopyChunks | null> {
    const found = await findCopiedChunks(array);
    if (found === null) return null;
    return (progress) =>
      this.#file.turns.take(async () => {
        const path = this.path === "" ? name : `${this.path}/${name}`;
        try {
          const bytes = this.#newName(name);
          const header = await writeKept(this.#file, array, found, progress);
          this.#children.set(name, { name: bytes, child: new WrittenDataset(header) });
        } catch (error) {
          throw createLocatedError(this.#file.name, path, error);
        }
      });
  }

  child(name: string): Child | undefined {
    return this.#children.get(name)?.child;
  }

  get groups(): readonly Hdf5GroupWriter[] {
    return [...this.#children.values()].flatMap(({ child }) => (child instanceof Hdf5GroupWriter ? [child] : []));
  }

  /** Returns the header's address, which is fixed from this call on. */
  address(): number {
    this.#reserved ??= this.#written?.header ?? reserveHeader(this.#file.space);
    return this.#reserved;
  }

  /** Writes the group's members. All groups below this one must have been written already. */
  async write(): Promise<WrittenGroup> {
    const members: Member[] = [];
    for (const { name, child } of this.#children.values()) {
      if (child instanceof DatasetWriter) throw new TypeError(`${child.path}: the array is not written`);
      members.push({ name, object: child instanceof Hdf5GroupWriter ? child.#result() : child.header });
    }
    try {
      this.#written = await writeGroup(this.#file.space, members, this.#attributes.encoded, this.#reserved);
      return this.#written;
    } catch (error) {
      throw createLocatedError(this.#file.name, this.path, error);
    }
  }

  #result(): WrittenGroup {
    if (this.#written === null) throw new TypeError(`${this.path}: the group is not written`);
    return this.#written;
  }

  #add<C extends Hdf5GroupWriter | DatasetWriter>(name: string, make: (path: string) => C): Promise<C> {
    return this.#file.turns.take(async () => {
      const path = this.path === "" ? name : `${this.path}/${name}`;
      try {
        const bytes = this.#newName(name);
        const child = make(path);
        this.#children.set(name, { name: bytes, child });
        await this.#file.space.settle();
        return child;
      } catch (error) {
        throw createLocatedError(this.#file.name, path, error);
      }
    });
  }

  /** Returns the encoded name for a new child. */
  #newName(name: string): Uint8Array {
    this.#checkOpen();
    const bytes = encodeLinkName(name);
    if (this.#children.has(name)) throw new InvalidInputError("there is an element of that name already");
    return bytes;
  }

  #checkOpen(): void {
    if (this.#file.closed) throw new TypeError("the file is closed: nothing can be added");
  }
}

// Datasets that reuse the chunks of another array. The bytes of these chunks are stored as they are.

/** Maximum number of pieces stored concurrently. */
const PIECES_AT_ONCE = 4;

/** Maximum size of a chunk in bytes, because its size is stored in 32 bits. */
const MAX_CHUNK_BYTES = 2 ** 32 - 1;

/** Chunks that HDF5 can store. */
interface KeptChunks extends FoundChunks {
  readonly filters: readonly FilterSpec[];
}

/** Finds the chunks; null if HDF5 cannot store them. */
async function findCopiedChunks({ type, shape, chunks, signal }: ChunkCopy): Promise<KeptChunks | null> {
  const { chunk, behindValues } = chunks;
  if (behindValues === null || shape.length === 0 || countElements(shape) === 0) return null;
  if (countElements(chunk) * countElementBytes(type) > MAX_CHUNK_BYTES) return null;
  const filters = behindValues.flatMap(({ hdf5 }) => (hdf5 === null ? [] : [hdf5]));
  if (filters.length < behindValues.length) return null;
  return { ...(await chunks.find({ signal })), filters };
}

/** @returns the address of the dataset's header. */
async function writeKept(
  file: FileState,
  { type, shape, attributes, extendable = false, chunks, signal }: ChunkCopy,
  found: KeptChunks,
  progress: (done: number, total: number) => void,
): Promise<number> {
  const { space } = file;
  const { chunk } = chunks;
  checkShape(shape);
  const own = new Attributes(file.heap, attributes);
  const list = new ChunkList();
  await processConcurrently(found.pieces(false, { signal }), PIECES_AT_ONCE, async (piece) => {
    await store(space, list, piece);
    progress(list.count, found.count);
  });
  await found.checkUnchanged();
  list.sort();
  const bytes = countElementBytes(type);
  const columns = computeGridShape(shape, chunk).slice(1);
  const tree = await writeChunkTree(space, file.chunkK, list, { chunk, columns, elementBytes: bytes });
  const messages = encodeDatasetMessages({
    shape,
    // A chunk must not be larger than the maximum shape of its array.
    extendable: shape.flatMap((size, d) => ((extendable && d === 0) || chunk[d] > size ? [d] : [])),
    datatype: encodeDatatypeMessage(type),
    variable: false,
    filters: found.filters.length === 0 ? null : encodeCopiedFilterMessage(found.filters),
    layout: { kind: "chunked", chunk, elementBytes: bytes, tree },
  });
  return writeHeader(space, messages, own.encoded, null);
}

/** Stores the chunks of a piece contiguously. */
async function store(space: FileSpace, list: ChunkList, piece: StoredChunkBatch): Promise<void> {
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
