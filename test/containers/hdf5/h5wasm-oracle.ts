/** A file as libhdf5 itself reads it, through h5wasm: what our reader is compared with. */

import { type Metadata, ready } from "h5wasm";
import { decodeValues } from "../../../src/containers/hdf5/dataset/decode-values.js";
import { createLibraryHeap } from "../../../src/containers/hdf5/heaps/heap.js";
import { decodeAttributeValue } from "../../../src/containers/hdf5/objects/attribute.js";
import { getElementType } from "../../../src/containers/hdf5/types/stored-type.js";
import type { AttributeValue } from "../../../src/containers/tree/container.js";
import { countElements, type StoredType, type StoredValues } from "../../../src/model/stored.js";
import { memoryTypeOf, shapeOf } from "./h5wasm-types.js";

/** What h5wasm 0.10 is built with; without its filter it returns memory that nobody wrote. */
const FILTERS = new Set([1, 2, 3, 5, 6]);

type H5Module = Awaited<typeof ready>;

/** h5wasm's own types leave out what Emscripten adds. */
type Module = Omit<H5Module, "FS"> & {
  readonly HEAPU8: Uint8Array;
  _malloc(bytes: number): number;
  _free(pointer: number): void;
  readonly FS: {
    readonly streams: ({ stream_ops: unknown } | undefined)[];
    writeFile(path: string, data: Uint8Array): void;
    unlink(path: string): void;
  };
};

export type OracleLink = "hard" | "soft" | "external" | "none";

export interface OracleArray {
  readonly type: StoredType;
  readonly shape: readonly number[] | null;
  /** Ids of filters that h5wasm lacks. */
  readonly missingFilters: readonly number[];
  read(): StoredValues;
}

export interface Oracle {
  names(path: string): string[];
  link(path: string): OracleLink;
  /** The address of the object's header; null where the path leads nowhere. */
  address(path: string): number | null;
  attributeNames(path: string): string[];
  attribute(path: string, name: string): AttributeValue;
  array(path: string): OracleArray;
  close(): void;
}

let opened = 0;

/** @param bytes of the file; paths are absolute. All methods throw where libhdf5 fails. */
export async function openOracle(bytes: Uint8Array): Promise<Oracle> {
  // As in h5wasm.ts: what the package exports is more than its types say.
  const module = (await ready) as unknown as Module;
  let printed = "";
  const stderr = module.FS.streams[2];
  if (stderr !== undefined) {
    stderr.stream_ops = {
      write(_stream: unknown, heap: Uint8Array | Int8Array, offset: number, length: number): number {
        printed += new TextDecoder().decode(new Uint8Array(heap.buffer, heap.byteOffset + offset, length).slice());
        return length;
      },
    };
  }
  const path = `/oracle-${opened++}.h5`;
  module.FS.writeFile(path, bytes);
  const id = module.open(path, module.H5F_ACC_RDONLY, false, -1, -1);
  if (id < 0n) throw new Error(`libhdf5 cannot open the file: ${printed}`);

  function strict<T>(action: () => T): T {
    printed = "";
    const result = action();
    if (printed !== "") throw new Error(`libhdf5: ${printed}`);
    return result;
  }

  function withMemory<T>(size: number, read: (at: bigint) => number, use: (bytes: Uint8Array) => T): T {
    const pointer = module._malloc(Math.max(1, size));
    if (pointer === 0) throw new Error(`no memory for ${size} bytes`);
    try {
      module.HEAPU8.fill(0, pointer, pointer + size);
      if (read(BigInt(pointer)) < 0) throw new Error(`libhdf5: ${printed}`);
      return use(module.HEAPU8.slice(pointer, pointer + size));
    } finally {
      module._free(pointer);
    }
  }

  const heap = () => createLibraryHeap(module.HEAPU8);

  function array(at: string): OracleArray {
    const metadata: Metadata = module.get_dataset_metadata(id, at);
    const type = memoryTypeOf(metadata);
    const extent = shapeOf(metadata);
    const element = getElementType(type);
    const filters = Array.from(module.get_dataset_filters(id, at), (filter) => filter.id);
    return {
      type: element.type,
      shape: extent === null ? null : [...extent, ...element.shape],
      missingFilters: filters.filter((filter) => !FILTERS.has(filter)),
      read() {
        const count = countElements(extent ?? [0]);
        const counts = extent === null || extent.length === 0 ? null : extent.map(BigInt);
        const offsets = counts === null ? null : counts.map(() => 0n);
        const strides = counts === null ? null : counts.map(() => 1n);
        if (count === 0) return decodeValues(type, new Uint8Array(0), 0, heap());
        return withMemory(
          count * type.size,
          (pointer) => module.get_dataset_data(id, at, counts, offsets, strides, pointer),
          (values) => decodeValues(type, values, count, heap()),
        );
      },
    };
  }

  return {
    names: (at) => strict(() => Array.from(module.get_names(id, at, false))),
    link(at) {
      printed = "";
      const target = module.get_symbolic_link(id, at);
      if (printed !== "") return "none";
      if (target !== null) return "soft";
      return typeof module.get_external_link(id, at).filename === "string" ? "external" : "hard";
    },
    address(at) {
      printed = "";
      try {
        const reference = module.create_object_reference(id, at);
        const view = new DataView(Uint8Array.from(reference).buffer);
        return printed === "" ? Number(view.getBigUint64(0, true)) : null;
      } catch {
        return null;
      }
    },
    attributeNames: (at) => strict(() => Array.from(module.get_attribute_names(id, at))),
    attribute(at, name) {
      const metadata = module.get_attribute_metadata(id, at, name);
      const type = memoryTypeOf(metadata);
      const shape = shapeOf(metadata);
      if (shape === null) return null;
      const size = countElements(shape) * type.size;
      if (size === 0) return decodeAttributeValue(type, shape, new Uint8Array(0), heap());
      return withMemory(
        size,
        (pointer) => module.get_attribute_data(id, at, name, pointer),
        (values) => decodeAttributeValue(type, shape, values, heap()),
      );
    },
    array,
    close() {
      module.close_file(id);
      module.FS.unlink(path);
    },
  };
}
