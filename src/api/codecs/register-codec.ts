import { isKnownCodec } from "../../containers/zarr/codecs/registry.js";
import { addCodec, CODECS, type LoadCodec } from "../../kernels/codecs/codecs.js";
import { InvalidInputError } from "../../model/errors.js";

/**
 * Registers a codec that decodes bytes to bytes, under its name on disk: the name of a Zarr codec, the id of a
 * compressor or filter of Zarr v2, or the number of an HDF5 filter. Files that are opened afterwards are read with it.
 *
 * Arrays with such a codec are decoded by the thread that opened the file, since workers load their own modules and do
 * not have it. Codecs of Zarr that make items of bytes belong into zarrita's registry, which is asked for names that
 * have no codec here.
 * @param load is called when the first chunk needs the codec, for example to `import()` it.
 * @throws {InvalidInputError} for a name that has a codec.
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
