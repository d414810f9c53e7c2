import { isKnownCodec } from "../../containers/zarr/codecs/registry.js";
import { addCodec, CODECS, type LoadCodec } from "../../kernels/codecs/codecs.js";
import { InvalidInputError } from "../../model/errors.js";

/**
 * Registers a codec that decodes bytes to bytes. Its name is the one on disk: the name of a Zarr codec, the id of a
 * Zarr v2 compressor or filter, or the number of an HDF5 filter. It is used for files that are opened afterwards.
 *
 * The thread that opened a file decodes the arrays that use this codec, since workers load their own modules and do
 * not have the codec. Zarr codecs that convert bytes to array items belong in zarrita's registry, which is searched
 * for names that have no codec here.
 * @param load called when the first chunk needs the codec, for example to `import()` it.
 * @throws {InvalidInputError} for a name that already has a codec.
 * @example
 * ```ts
 * import { brotliDecompressSync } from "node:zlib";
 * import { registerCodec } from "annarrow/format";
 *
 * registerCodec("brotli", async () => () => ({
 *   encodedSize: () => null,
 *   // Stops where the bytes of a damaged or hostile file give more than the chunk can have.
 *   decode: (bytes, size) => brotliDecompressSync(bytes, { maxOutputLength: size.bytes }),
 * }));
 * ```
 */
export function registerCodec(name: string | number, load: LoadCodec): void {
  if (CODECS.has(name) || (typeof name === "string" && isKnownCodec(name))) {
    throw new InvalidInputError(`there is a codec ${name} already`);
  }
  addCodec(name, load);
}
