/** HDF5 files as containers. */

import type { ByteSource, ReadOptions } from "../../io/sources/source.js";
import {
  InvalidDataError,
  isAnnarrowError,
  NotFoundError,
  runWithLocation,
  UnsupportedError,
} from "../../model/errors.js";
import { countElements } from "../../model/stored.js";
import type { AttributeValue, Container, Group, Node, Reference, StoredArray } from "../tree/container.js";
import type { FollowFile } from "../tree/followed-file.js";
import { parseAddressNumber } from "./bytes/cursor.js";
import { createArrayFromValues, createHdf5Array } from "./dataset/array.js";
import { describeDataset, type Hdf5Dataset, NO_FILL } from "./dataset/dataset.js";
import { HeaderCache, type HeaderContent } from "./dataset/header-cache.js";
import type { ArrayContext } from "./dataset/stored-rows.js";
import { hasViews } from "./dataset/viewed-array.js";
import { VirtualSources } from "./dataset/virtual-sources.js";
import { withCacheImage } from "./file/cache-image.js";
import { Hdf5File } from "./file/hdf5-file.js";
import { findSignature, readSuperblock, type Superblock } from "./file/superblock.js";
import { joinExternalParts, readExternalParts } from "./followed/external-storage.js";
import { FollowedFiles, MAX_LINKS } from "./followed/followed-files.js";
import { LazyLibrary } from "./library/lazy-library.js";
import type { AttributeMessage } from "./objects/attribute.js";
import { peekAttributes, readAttributeMessages, readAttributes, readAttributeTypes } from "./objects/attributes.js";
import { isGroup } from "./objects/group-links.js";
import { type HeaderMessage, MESSAGE, peekHeader, readObjectHeader, SharedMessages } from "./objects/object-header.js";
import { type LinkEnd, type ObjectPath, ObjectSearch, Objects, splitPath } from "./objects/objects.js";
import { readSharedHeaps } from "./objects/shared-heaps.js";
import { type Datatype, hasReferences, isVariable } from "./types/datatype.js";
import { getElementType, isNative } from "./types/stored-type.js";

/** Number of bytes cached from the user block. Formats that use the block write at its start. */
const USER_BLOCK_BYTES = 512;

interface OpenHdf5Options extends ReadOptions {
  /** Resolves other files that the file links to. If absent, no other files may be opened. */
  readonly follow?: FollowFile;
}

/**
 * Opens an HDF5 file. The container closes the source; if opening fails, the caller closes it.
 * @param path the path of the file on disk, if it has one: libhdf5 then reads it in place. Otherwise libhdf5, if it is
 * needed, reads a copy of the whole file in memory.
 * @throws {InvalidDataError} if the source is not an HDF5 file, is truncated, or has a damaged superblock.
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

// Creates nodes of the container's tree from the objects of a file.

interface NodeContext extends ArrayContext {
  readonly objects: Objects;
  readonly headers: HeaderCache;
  readonly virtual: VirtualSources;
  /** Other files that links and datasets refer to. */
  readonly followed: FollowedFiles<NodeContext>;
  /** The file's path, if it has one. */
  readonly path: string | undefined;
  /** Prefix for the ids of the file's objects; empty for the file that was opened. */
  readonly ids: string;
}

/**
 * @param path the path in the container, without a leading slash; it may contain soft links.
 * @throws {UnsupportedError} for named datatypes.
 * @throws {InvalidDataError} if there is no object, or the object is damaged.
 */
async function openNode(context: NodeContext, path: string, place: ObjectPath, options?: ReadOptions): Promise<Node> {
  const { file } = context;
  const at = place.hardPath === "" ? "/" : place.hardPath;
  const messages = await readObjectHeader(file, place.address, options);
  const kind = objectKind(messages);
  switch (kind) {
    case "group": {
      const attributes = ownAttributes(context, await readAttributes(file, messages, options));
      return hdf5Group(context, path, place, attributes, messages);
    }
    case "dataset": {
      const names = { path, hardPath: at, id: context.ids + place.address };
      const attributes = ownAttributes(context, await readAttributes(file, messages, options));
      const external = messages.find(({ type }) => type === MESSAGE.externalFiles);
      if (external !== undefined) {
        const { dataset, context: values } = await externalDataset(context, messages, external.body, options);
        return {
          ...createHdf5Array(values, names, attributes, dataset),
          attributeTypes: typesOf(file, place, attributes),
        };
      }
      const described = withPeekedValues(describeDataset(messages, file), file);
      const isVirtual = described.layout.kind === "virtual";
      const dataset = isVirtual ? await context.virtual.checked(at, described, options) : described;
      if (context.ids !== "") checkNoReferences(dataset.datatype);
      return {
        ...createHdf5Array(context, names, attributes, dataset),
        attributeTypes: typesOf(file, place, attributes),
      };
    }
    case "datatype":
      throw new UnsupportedError("a named datatype, which is neither group nor array");
    case "other":
      throw new InvalidDataError("neither group nor dataset");
    default:
      return kind satisfies never;
  }
}

function typesOf(file: Hdf5File, { address }: ObjectPath, attributes: Group["attributes"]): Group["attributeTypes"] {
  return attributes.size === 0 ? undefined : (options) => readAttributeTypes(file, address, options);
}

/** Returns the dataset with its values from other files, as if all of them were contiguous in one file. */
async function externalDataset(
  context: NodeContext,
  messages: readonly HeaderMessage[],
  list: Uint8Array,
  options?: ReadOptions,
): Promise<{ readonly dataset: Hdf5Dataset; readonly context: ArrayContext }> {
  const { file, source, followed, path, library } = context;
  const parts = await readExternalParts(file, list, options);
  const what = "external storage: the values lie";
  const open = (name: string) => followed.bytes(name, path, what);
  // The first part is opened before the values are checked, so that a refusal is reported with the file's name.
  if (parts.length > 0) await open(parts[0].name);
  const dataset = describeDataset(
    messages.filter(({ type }) => type !== MESSAGE.externalFiles),
    file,
  );
  const { extent, layout, datatype } = dataset;
  if (layout.kind !== "contiguous" || layout.address !== null || isVariable(datatype)) {
    throw new UnsupportedError("external storage of values that are not in one piece");
  }
  checkNoReferences(datatype);
  const joined = await joinExternalParts(
    source,
    parts,
    extent === null ? 0 : countElements(extent) * datatype.size,
    open,
  );
  const values = { source, library, file: new Hdf5File(joined, 0, file.sizes) };
  return { dataset: { ...dataset, layout: { kind: "contiguous", address: 0 } }, context: values };
}

/** Rejects references, because their target is not in the file that was opened. */
function checkNoReferences(type: Datatype): void {
  if (hasReferences(type)) throw new UnsupportedError("references in another file, or to objects of it");
}

/** Returns the attributes, except those with references into another file. */
function ownAttributes({ ids }: NodeContext, attributes: Group["attributes"]): Group["attributes"] {
  if (ids === "" || ![...attributes.values()].some(hasReference)) return attributes;
  const refused = { kind: "unreadable", reason: "references into another file" } as const;
  return new Map([...attributes].map(([name, value]) => [name, hasReference(value) ? refused : value]));
}

function hasReference(value: AttributeValue): boolean {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return false;
  if ("kind" in value && value.kind === "reference") return true;
  return (Array.isArray(value) ? value : Object.values(value)).some((one: AttributeValue) => hasReference(one));
}

/**
 * Opens the object that a link to another file refers to.
 * @throws {UnsupportedError} if that file must not be opened.
 */
async function openElsewhere(
  context: NodeContext,
  path: string,
  link: Extract<LinkEnd, { kind: "elsewhere" }>,
  options?: ReadOptions,
): Promise<Node> {
  let at = context;
  let next = link;
  for (let links = 0; links < MAX_LINKS; links++) {
    at = await at.followed.context(next.file, at.path, `external link to ${next.path}`);
    const segments = [...splitPath(next.path), ...next.rest];
    let place = at.objects.root;
    let out: typeof link | null = null;
    for (const [i, segment] of segments.entries()) {
      const end = await at.objects.resolve(place, segment, options);
      if (end.kind === "elsewhere") {
        out = { ...end, rest: [...end.rest, ...segments.slice(i + 1)] };
        break;
      }
      place = end.place;
    }
    if (out === null) return await openNode(at, path, place, options);
    next = out;
  }
  throw new NotFoundError(`more than ${MAX_LINKS} external links in a row`);
}

/**
 * Maximum size in bytes of values that are read along with their header. Scalar values are this short and lie close to
 * their header.
 */
const SMALL_BYTES = 512;

/** Returns the dataset with the values in its header, if they are few and already in memory. */
function withPeekedValues(dataset: Hdf5Dataset, file: Hdf5File): Hdf5Dataset {
  const { layout, extent, datatype } = dataset;
  if (layout.kind !== "contiguous" || layout.address === null || extent === null) return dataset;
  const length = countElements(extent) * datatype.size;
  const bytes = length <= SMALL_BYTES ? file.peek(layout.address, length) : null;
  return bytes === null ? dataset : { ...dataset, layout: { kind: "compact", bytes: bytes.slice() } };
}

/**
 * Opens a dataset like `openNode`, if everything needed is already in memory. Returns null for other objects.
 * @throws the errors of `openNode`.
 */
function peekDataset(context: NodeContext, place: ObjectPath): StoredArray | null {
  const { file, headers } = context;
  const { hardPath } = place;
  const names = { path: hardPath.slice(1), hardPath, id: context.ids + place.address };
  const known = headers.find(file, place.address);
  if (known !== null) {
    const bytes = file.peek(known.address, known.content.length);
    return bytes === null ? null : createArrayFromValues(context, names, known.content, bytes);
  }
  const messages = peekHeader(file, place.address);
  if (messages === null || objectKind(messages) !== "dataset") return null;
  const described = describeDataset(messages, file);
  const dataset = withPeekedValues(described, file);
  const attributes = dataset.layout.kind === "compact" ? peekAttributes(file, messages) : null;
  if (attributes === null) return null;
  const content = dataset === described ? null : repeatable(dataset, attributes);
  if (content !== null) headers.add(file, place.address, content);
  return createHdf5Array(context, names, attributes, dataset);
}

/**
 * Returns content that is valid for all datasets with an equal header; null if their values or attributes may differ.
 */
function repeatable(dataset: Hdf5Dataset, attributes: ReadonlyMap<string, AttributeValue>): HeaderContent | null {
  const { datatype, extent, filters } = dataset;
  if (extent === null || filters.length > 0 || !isNative(datatype) || !hasViews(dataset)) return null;
  const element = getElementType(datatype);
  if (element.type.kind === "unsupported") return null;
  // Lists and objects are not repeatable, because a caller that holds them could change them.
  for (const value of attributes.values()) if (typeof value === "object") return null;
  return { dataset, element, attributes, length: countElements(extent) * datatype.size };
}

function objectKind(messages: readonly HeaderMessage[]): "group" | "dataset" | "datatype" | "other" {
  const has = (wanted: number) => messages.some(({ type }) => type === wanted);
  if (isGroup(messages)) return "group";
  if (has(MESSAGE.dataspace) || has(MESSAGE.layout)) return "dataset";
  return has(MESSAGE.datatype) ? "datatype" : "other";
}

function hdf5Group(
  context: NodeContext,
  path: string,
  place: ObjectPath,
  attributes: Group["attributes"],
  messages: readonly HeaderMessage[],
): Group {
  const { objects, source } = context;
  return {
    kind: "group",
    path,
    id: context.ids + place.address,
    attributes,
    attributeTypes: typesOf(context.file, place, attributes),
    keys: (options) =>
      runWithLocation({ source, element: path }, async () => {
        options?.signal?.throwIfAborted();
        const links = await objects.links(place, options);
        return links?.names() ?? [];
      }),
    open: (name, options) => {
      const element = path === "" ? name : `${path}/${name}`;
      return runWithLocation({ source, element }, async () => {
        options?.signal?.throwIfAborted();
        const end = await objects.resolve(place, name, options);
        return end.kind === "here"
          ? await openNode(context, element, end.place, options)
          : await openElsewhere(context, element, end, options);
      });
    },
    namedTypeId: async (name, options) => {
      try {
        const { address } = await objects.follow(place, name, options);
        const kind = objectKind(await readObjectHeader(context.file, address, options));
        return kind === "datatype" ? context.ids + address : null;
      } catch (error) {
        if (isAnnarrowError(error)) return null;
        throw error;
      }
    },
    openAttributes: (options) =>
      runWithLocation({ source, element: path }, () => attributeArrays(context, path, messages, options)),
  };
}

/**
 * @param path the path of the object. Errors call an attribute by its name below this path.
 * @param messages the object's header.
 * @throws {InvalidDataError} if the storage of the attributes is damaged.
 */
async function attributeArrays(
  context: ArrayContext,
  path: string,
  messages: readonly HeaderMessage[],
  options?: ReadOptions,
): Promise<Map<string, () => Promise<StoredArray>>> {
  const { file, source } = context;
  const arrays = new Map<string, () => Promise<StoredArray>>();
  for (const message of await readAttributeMessages(file, messages, options)) {
    const element = path === "" ? message.name : `${path}/${message.name}`;
    arrays.set(message.name, () =>
      runWithLocation({ source, element }, () => attributeArray(context, element, message, options)),
    );
  }
  return arrays;
}

/** Opens an attribute as an array, like a compact dataset with the attribute's bytes. */
async function attributeArray(
  context: ArrayContext,
  path: string,
  message: AttributeMessage,
  options?: ReadOptions,
): Promise<StoredArray> {
  const { datatype, shape, bytes } = await message.describe(new SharedMessages(context.file), options);
  return createHdf5Array(context, { path, hardPath: path, id: path }, new Map(), {
    datatype,
    extent: shape,
    maximum: [],
    layout: { kind: "compact", bytes },
    filters: [],
    fill: NO_FILL,
  });
}
