/**
 * annarrow's codecs for zarrita, which then decodes what it opens with them.
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
} from "./api/registry-codecs.js";
