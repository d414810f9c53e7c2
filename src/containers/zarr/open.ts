import { located, NotFoundError, UnsupportedError } from "../../model/errors.js";
import type { KeyValueSource } from "../../sources/source.js";
import type { Container } from "../tree/container.js";
import { ZarrGroup } from "./group.js";
import { readDocument } from "./metadata/documents.js";
import type { Consolidated, Hierarchy } from "./metadata/hierarchy.js";
import { HierarchyV2 } from "./metadata/hierarchy-v2.js";
import { HierarchyV3 } from "./metadata/hierarchy-v3.js";
import type { Json } from "./metadata/json.js";
import { isObject } from "./metadata/json-fields.js";
import { parseNodeV3 } from "./metadata/metadata-v3.js";

/**
 * Opens a Zarr store, version 2 or 3.
 *
 * Metadata and chunks are read by this folder's own code and not by zarrita, which cannot open structured, datetime,
 * float16 and complex arrays, asks for wrong keys where names hold `%`, `#` or `?`, rounds 64-bit fill values to
 * doubles, does not verify crc32c, reads short chunks and bad shard offsets as zeros, and overlooks codecs around shards.
 * Chunks whose codecs are in zarrita's registry alone are decoded by it (`chunks/zarrita-chunk.ts`).
 *
 * Consolidated metadata is used where the store cannot be listed (HTTP): it saves requests, and is all there is to list.
 * Elsewhere the nodes' own documents count, so that a stale copy neither hides a node nor invents one.
 *
 * @throws {NotFoundError} where there is no Zarr group at the root of `source`.
 */
export function openZarr(source: KeyValueSource): Promise<Container> {
  return located({ source: source.name }, async () => {
    const canList = (await source.list("")) !== null;
    const v3 = await readDocument(source, "zarr.json");
    const hierarchy = v3 === undefined ? await openV2(source, canList) : openV3(source, canList, v3);
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

function openV3(source: KeyValueSource, canList: boolean, document: Json): Hierarchy {
  const root = parseNodeV3(document);
  const inline = root.kind === "group" ? root.consolidated : undefined;
  return new HierarchyV3(
    source,
    document,
    canList || inline === undefined ? undefined : new Map(Object.entries(inline)),
  );
}

async function openV2(source: KeyValueSource, canList: boolean): Promise<Hierarchy> {
  return new HierarchyV2(source, canList ? undefined : await consolidatedV2(source));
}

async function consolidatedV2(source: KeyValueSource): Promise<Consolidated | undefined> {
  const document = await readDocument(source, ".zmetadata");
  if (!isObject(document) || document.zarr_consolidated_format !== 1 || !isObject(document.metadata)) return undefined;
  return new Map(Object.entries(document.metadata));
}
