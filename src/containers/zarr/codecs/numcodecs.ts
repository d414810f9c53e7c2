/**
 * The adapter of the `numcodecs` package (WebAssembly of c-blosc, zstd and lz4). It allocates what a frame's header
 * declares, so callers check that first.
 */

import { InvalidDataError } from "../../../errors.js";

interface Decoder {
  decode(bytes: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

interface Package {
  readonly default: { fromConfig(configuration: { readonly id: string }): Decoder };
}

const PACKAGES: Readonly<Record<"blosc" | "lz4" | "zstd", () => Promise<Package>>> = {
  blosc: () => import("numcodecs/blosc"),
  lz4: () => import("numcodecs/lz4"),
  zstd: () => import("numcodecs/zstd"),
};

const decoders = new Map<keyof typeof PACKAGES, Promise<Decoder>>();

/** @throws {InvalidDataError} where the library refuses the bytes. */
export async function decodeWithNumcodecs(codec: keyof typeof PACKAGES, bytes: Uint8Array): Promise<Uint8Array> {
  let decoder = decoders.get(codec);
  if (decoder === undefined) {
    decoder = PACKAGES[codec]().then((loaded) => loaded.default.fromConfig({ id: codec }));
    decoders.set(codec, decoder);
  }
  const loaded = await decoder;
  try {
    return await loaded.decode(bytes);
  } catch (cause) {
    // WebAssembly code throws numbers and texts too.
    throw new InvalidDataError(`corrupt ${codec} data: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}
