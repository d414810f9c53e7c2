/** HDF5 files as containers. */

import { InvalidDataError, located, UnsupportedError } from "../../errors.js";
import type { ByteSource, ReadOptions } from "../../sources/source.js";
import type { Container, Group, Node, Reference } from "../container.js";
import { type ArrayContext, hdf5Array } from "./array.js";
import { readAttributes } from "./attributes.js";
import { describeDataset } from "./dataset.js";
import { openFileBytes } from "./file-bytes.js";
import { fileLibrary, memoryLibrary } from "./libraries.js";
import { addressNumber, followLink, followPath, splitPath } from "./links.js";
import { readObjectHeader } from "./object-header.js";
import { findSignature } from "./signature.js";

/**
 * Opens an HDF5 file. The container closes the source; where opening fails, that is left to the caller.
 * @param path of the file on disk, if it has one: under Node it is then opened in place; else it is held in memory.
 * @throws {InvalidDataError} where the source is no HDF5 file, is truncated, or has a damaged superblock.
 */
export async function openHdf5(source: ByteSource, path?: string, options?: ReadOptions): Promise<Container> {
  return await located({ source: source.name }, async () => {
    const base = await findSignature(source, options);
    if (base === null) throw new InvalidDataError(`not an HDF5 file: no signature in its ${source.size} bytes`);
    const file = await openFileBytes(source, base, options);
    const inPlace = path === undefined ? undefined : fileLibrary();
    const hdf5 = await (inPlace ?? memoryLibrary());
    const library = hdf5.open(inPlace !== undefined && path !== undefined ? path : await readWhole(source, options));
    const context: ArrayContext = { source: source.name, file, library, filters: hdf5.filters };
    try {
      const root = await openNode(context, "", "", options);
      if (root.kind !== "group") throw new InvalidDataError("the root is no group");
      return container(context, source, root);
    } catch (error) {
      library.close();
      throw error;
    }
  });
}

/** Engines refuse larger buffers. */
const MAX_BYTES_IN_MEMORY = 2 ** 31;

async function readWhole(source: ByteSource, options?: ReadOptions): Promise<Uint8Array> {
  if (source.size > MAX_BYTES_IN_MEMORY) {
    throw new UnsupportedError(
      `an HDF5 file of ${source.size} bytes that is no file on disk; at most ${MAX_BYTES_IN_MEMORY} are held in memory`,
    );
  }
  return await source.read(0, source.size, options);
}

function container(context: ArrayContext, source: ByteSource, root: Group): Container {
  let closed = false;
  return {
    kind: "hdf5",
    name: source.name,
    root,
    dereference: (reference) => located({ source: source.name }, () => dereference(context, reference)),
    async close() {
      if (closed) return;
      closed = true;
      context.library.close();
      await source.close();
    },
  };
}

async function dereference(context: ArrayContext, { bytes }: Reference): Promise<Node> {
  const address = addressNumber(bytes);
  if (address === 0) throw new InvalidDataError("null reference: it points at nothing");
  // libhdf5 is only asked about addresses where there is an object.
  await readObjectHeader(context.file, address);
  const path = context.library.pathOf(bytes);
  if (path === null) throw new InvalidDataError(`reference to address ${address}, where no object with a name is`);
  const hardPath = followPath(context.library, path);
  return await openNode(context, splitPath(path).join("/"), hardPath);
}

/**
 * @param path in the container, without leading slash.
 * @param hardPath absolute and over hard links; `""` is the root.
 */
async function openNode(context: ArrayContext, path: string, hardPath: string, options?: ReadOptions): Promise<Node> {
  const { library, file } = context;
  const at = hardPath === "" ? "/" : hardPath;
  const kind = library.kind(at);
  const reference = library.address(at);
  const id = Array.from(reference, (byte) => byte.toString(16).padStart(2, "0")).join("");
  switch (kind) {
    case "group": {
      const messages = await readObjectHeader(file, addressNumber(reference), options);
      const attributes = await readAttributes(file, library, at, messages, options);
      return hdf5Group(context, path, hardPath, id, attributes);
    }
    case "dataset": {
      const messages = await readObjectHeader(file, addressNumber(reference), options);
      const dataset = describeDataset(messages, file);
      const attributes = await readAttributes(file, library, at, messages, options);
      return hdf5Array(context, path, at, id, attributes, dataset);
    }
    case "datatype":
      throw new UnsupportedError("a named datatype, which is neither group nor array");
    case "other":
      throw new InvalidDataError("neither group nor dataset");
    default:
      return kind satisfies never;
  }
}

function hdf5Group(
  context: ArrayContext,
  path: string,
  hardPath: string,
  id: string,
  attributes: Group["attributes"],
): Group {
  const { library, source } = context;
  const at = hardPath === "" ? "/" : hardPath;
  return {
    kind: "group",
    path,
    id,
    attributes,
    keys: (options) =>
      located(path === "" ? { source } : { source, element: path }, () => {
        options?.signal?.throwIfAborted();
        return library.names(at).sort(byCodePoint);
      }),
    open: (name, options) => {
      const element = path === "" ? name : `${path}/${name}`;
      return located({ source, element }, async () => {
        options?.signal?.throwIfAborted();
        return await openNode(context, element, followLink(library, hardPath, name), options);
      });
    },
  };
}

/** JavaScript's own order is that of UTF-16 units, which differs beyond U+FFFF. */
function byCodePoint(a: string, b: string): number {
  const left = Array.from(a);
  const right = Array.from(b);
  for (let i = 0; i < left.length && i < right.length; i++) {
    const difference = (left[i].codePointAt(0) ?? 0) - (right[i].codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}
