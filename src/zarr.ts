/**
 * annarrow's codecs for zarrita. Once registered, zarrita uses them to decode the arrays that it opens.
 *
 * @example
 * ```ts
 * import { registerCodecs } from "annarrow/zarr";
 * import * as zarr from "zarrita";
 *
 * registerCodecs(zarr.registry);
 * const array = await zarr.open(new zarr.FetchStore("https://example.com/pbmc.zarr/X/data"), { kind: "array" });
 * ```
 * @module
 */

export {
  type ChunkInfo,
  type CodecRegistry,
  type RegisteredCodec,
  type RegistryEntry,
  registerCodecs,
} from "./api/codecs/registry-codecs.js";
