import type { KeyValueSource, ReadOptions } from "../../io/sources/source.js";
import { compareByCodePoint } from "../../kernels/text/names.js";
import { locateError, NotFoundError, runWithLocation, UnsupportedError } from "../../model/errors.js";
import type { AttributeValue, Container, Group, Node } from "../tree/container.js";
import { createZarrArray } from "./array.js";
import { type Consolidated, type Hierarchy, HierarchyV2, HierarchyV3, readDocument } from "./metadata/hierarchy.js";
import type { Json } from "./metadata/json.js";
import { isObject } from "./metadata/json-fields.js";
import { type GroupMetadata, joinPath } from "./metadata/metadata.js";
import { parseNodeV3 } from "./metadata/metadata-v3.js";

/**
 * Opens a Zarr store, version 2 or 3.
 *
 * This folder's own code reads metadata and chunks instead of zarrita. zarrita cannot open structured, datetime,
 * float16 and complex arrays, requests wrong keys if names contain `%`, `#` or `?`, rounds 64-bit fill values to
 * doubles, does not verify crc32c, reads short chunks and bad shard offsets as zeros, and ignores codecs around shards.
 * zarrita only decodes chunks with codecs that no other registry has (`chunks/zarrita-chunk.ts`).
 *
 * Consolidated metadata is used if it exists and the store is remote: it saves requests, and over HTTP it is the only
 * list of nodes. Otherwise the nodes' own documents are used, so that an outdated copy can neither hide nodes nor add
 * nodes that do not exist.
 *
 * @throws {NotFoundError} if there is no Zarr group at the root of `source`.
 */
export function openZarr(source: KeyValueSource): Promise<Container> {
  return runWithLocation({ source: source.name }, async () => {
    const listsNodes = source.isRemote !== true && (await source.list("")) !== null;
    const v3 = await readDocument(source, "zarr.json");
    const hierarchy = v3 === undefined ? await openV2(source, listsNodes) : openV3(source, listsNodes, v3);
    const root = await hierarchy.node("");
    if (root === undefined) throw new NotFoundError("no Zarr store: neither zarr.json nor .zgroup is there");
    if (root.kind === "array") throw new UnsupportedError("the store is a single array; a group is expected");
    return {
      kind: v3 === undefined ? "zarr2" : "zarr3",
      name: source.name,
      root: new ZarrGroup(source, hierarchy, "", root.metadata, (await source.identity?.("")) ?? ""),
      dereference: () => Promise.reject(new UnsupportedError("Zarr has no references", { source: source.name })),
      close: () => source.close(),
    };
  });
}

function openV3(source: KeyValueSource, listsNodes: boolean, document: Json): Hierarchy {
  const root = parseNodeV3(document);
  const inline = root.kind === "group" ? root.consolidated : undefined;
  return new HierarchyV3(
    source,
    document,
    listsNodes || inline === undefined ? undefined : new Map(Object.entries(inline)),
  );
}

async function openV2(source: KeyValueSource, listsNodes: boolean): Promise<Hierarchy> {
  return new HierarchyV2(source, listsNodes ? undefined : await consolidatedV2(source));
}

async function consolidatedV2(source: KeyValueSource): Promise<Consolidated | undefined> {
  const document = await readDocument(source, ".zmetadata");
  if (!isObject(document) || document.zarr_consolidated_format !== 1 || !isObject(document.metadata)) return undefined;
  return new Map(Object.entries(document.metadata));
}

/** A group of a store. Children are looked up on request. */
class ZarrGroup implements Group {
  readonly kind = "group";
  readonly path: string;
  readonly id: string;
  readonly attributes: ReadonlyMap<string, AttributeValue>;
  readonly #source: KeyValueSource;
  readonly #hierarchy: Hierarchy;

  /** @param id the identity of the stored object, whichever links lead to it. */
  constructor(source: KeyValueSource, hierarchy: Hierarchy, path: string, metadata: GroupMetadata, id: string = path) {
    this.path = path;
    this.id = id;
    this.attributes = metadata.attributes;
    this.#source = source;
    this.#hierarchy = hierarchy;
  }

  /** @throws {UnsupportedError} if the store cannot be listed and has no consolidated metadata. */
  async keys(options?: ReadOptions): Promise<readonly string[]> {
    try {
      const names = await this.#hierarchy.children(this.path, options);
      if (names === null) {
        throw new UnsupportedError(
          "the store cannot be listed and has no consolidated metadata; write it with zarr.consolidate_metadata",
        );
      }
      return names.sort(compareByCodePoint);
    } catch (error) {
      throw locateError(error, { source: this.#source.name, element: this.path });
    }
  }

  async open(name: string, options?: ReadOptions): Promise<Node> {
    const path = joinPath(this.path, name);
    try {
      const node = isName(name) ? await this.#hierarchy.node(path, options) : undefined;
      if (node === undefined) throw new NotFoundError("no such array or group");
      const id = (await this.#source.identity?.(path)) ?? path;
      switch (node.kind) {
        case "array":
          return createZarrArray(this.#source, path, node.metadata, id);
        case "group":
          return new ZarrGroup(this.#source, this.#hierarchy, path, node.metadata, id);
        default:
          return node satisfies never;
      }
    } catch (error) {
      throw locateError(error, { source: this.#source.name, element: path });
    }
  }
}

/** Returns whether a name can be a segment of a key. No child can have any other name. */
function isName(name: string): boolean {
  return name !== "" && name !== "." && name !== ".." && !name.includes("/") && !name.includes("\0");
}
