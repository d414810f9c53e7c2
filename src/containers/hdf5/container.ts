/** HDF5 files as containers. */

import { InvalidDataError, runWithLocation } from "../../model/errors.js";
import type { ByteSource, ReadOptions } from "../../sources/source.js";
import type { Container, Group, Node, Reference } from "../tree/container.js";
import type { FollowFile } from "../tree/followed-file.js";
import { parseAddressNumber } from "./bytes/cursor.js";
import { HeaderCache } from "./dataset/header-cache.js";
import { VirtualSources } from "./dataset/virtual-sources.js";
import { withCacheImage } from "./file/cache-image.js";
import { Hdf5File } from "./file/hdf5-file.js";
import { findSignature, readSuperblock, type Superblock } from "./file/superblock.js";
import { FollowedFiles } from "./followed/followed-files.js";
import { LazyLibrary } from "./library/lazy-library.js";
import { type NodeContext, openNode, peekDataset } from "./node.js";
import { MESSAGE, readObjectHeader } from "./objects/object-header.js";
import { ObjectSearch, Objects } from "./objects/objects.js";
import { readSharedHeaps } from "./objects/shared-heaps.js";

/** Number of bytes cached from the user block. The formats that use it write at its start. */
const USER_BLOCK_BYTES = 512;

interface OpenHdf5Options extends ReadOptions {
  /** Resolves other files that the file links to. If absent, no other files may be opened. */
  readonly follow?: FollowFile;
}

/**
 * Opens an HDF5 file. The container closes the source; where opening fails, the caller closes it.
 * @param path the path of the file on disk, if it has one: libhdf5 then reads it in place. Otherwise libhdf5, where it
 * is needed, reads a copy of the whole file in memory.
 * @throws {InvalidDataError} where the source is not an HDF5 file, is truncated, or has a damaged superblock.
 */
export async function openHdf5(source: ByteSource, path?: string, options?: OpenHdf5Options): Promise<Container> {
  return await runWithLocation({ source: source.name }, async () => {
    const libraries: LazyLibrary[] = [];
    const followed: FollowedFiles<NodeContext> = new FollowedFiles(options?.follow ?? null, (found, name) =>
      runWithLocation({ source: name }, async () => {
        const other = { path: found.file, ids: `${found.file ?? name}:` };
        const { context } = await fileContext(found.source, other, followed, options);
        libraries.push(context.library);
        return context;
      }),
    );
    const { context, base } = await fileContext(source, { path, ids: "" }, followed, options);
    libraries.push(context.library);
    const close = async () => {
      for (const library of libraries) await library.close();
      await followed.close();
    };
    try {
      const root = await openNode(context, "", context.objects.root, options);
      if (root.kind !== "group") throw new InvalidDataError("the root is no group");
      const userBlock = base === 0 ? null : await source.read(0, Math.min(base, USER_BLOCK_BYTES), options);
      return container(context, source, root, userBlock, close);
    } catch (error) {
      await close();
      throw error;
    }
  });
}

async function fileContext(
  source: ByteSource,
  { path, ids }: Pick<NodeContext, "path" | "ids">,
  followed: FollowedFiles<NodeContext>,
  options?: ReadOptions,
): Promise<{ readonly context: NodeContext; readonly base: number }> {
  const base = await findSignature(source, options);
  if (base === null) throw new InvalidDataError(`not an HDF5 file: no signature in its ${source.size} bytes`);
  const superblock = await readSuperblock(source, base, options);
  const file = await fileOf(source, base, superblock, options);
  const library = new LazyLibrary(source, path);
  const objects = new Objects(file, superblock.root);
  const virtual = new VirtualSources({ file, library, objects, path, followed });
  const own = { source: source.name, file, library, objects, headers: new HeaderCache(), virtual };
  return { context: { ...own, followed, path, ids }, base };
}

/** Returns the file with the information from the superblock's extension. */
async function fileOf(
  source: ByteSource,
  base: number,
  { sizes, extension }: Superblock,
  options?: ReadOptions,
): Promise<Hdf5File> {
  const file = new Hdf5File(source, base, sizes);
  if (extension === null) return file;
  const messages = await readObjectHeader(file, extension, options);
  const bodyOf = (type: number) => messages.find((message) => message.type === type)?.body ?? null;
  const image = bodyOf(MESSAGE.cacheImage);
  const whole = image === null ? source : await withCacheImage(source, base, sizes, image, options);
  const table = bodyOf(MESSAGE.sharedTable);
  const heaps = table === null ? null : await readSharedHeaps(new Hdf5File(whole, base, sizes), table, options);
  return image === null && heaps === null ? file : new Hdf5File(whole, base, sizes, heaps);
}

function container(
  context: NodeContext,
  source: ByteSource,
  root: Group,
  userBlock: Uint8Array | null,
  close: () => Promise<void>,
): Container {
  const search = new ObjectSearch(context.objects, context.file.size);
  let closed = false;
  return {
    kind: "hdf5",
    name: source.name,
    root,
    userBlock: userBlock ?? undefined,
    dereferencedId: ({ bytes }) => (bytes.every((byte) => byte === 0) ? null : String(parseAddressNumber(bytes))),
    dereferenceInMemory: ({ bytes }) => {
      const place = bytes.every((byte) => byte === 0) ? null : search.known(parseAddressNumber(bytes));
      return place === null ? null : peekDataset(context, place);
    },
    dereference: (reference) => runWithLocation({ source: source.name }, () => dereference(context, search, reference)),
    async close() {
      if (closed) return;
      closed = true;
      await close();
      await source.close();
    },
  };
}

async function dereference(context: NodeContext, search: ObjectSearch, { bytes }: Reference): Promise<Node> {
  const address = parseAddressNumber(bytes);
  if (address === 0) throw new InvalidDataError("null reference: it points at nothing");
  const place = search.known(address) ?? (await search.find(address));
  if (place === null) throw new InvalidDataError(`reference to address ${address}, where no object with a name is`);
  return await openNode(context, place.hardPath.slice(1), place);
}
