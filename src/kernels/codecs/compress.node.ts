import * as zlib from "node:zlib";
import { type Compressor, installCompressors } from "./compress.js";
import { ZSTD_LEVEL } from "./zstd/zstd-wasm.js";

/** Lets `compressor` use node:zlib, whose zstd came with Node 22.15. Called once by the Node entry. */
export function installNodeCompressors(): void {
  const zstd = nativeZstd();
  installCompressors({ gzip: (bytes) => zlib.gzipSync(bytes), ...(zstd ? { zstd } : {}) });
}

/** What the types of Node 20 do not know. */
interface NodeZstd {
  readonly zstdCompressSync?: (bytes: Uint8Array, options: { readonly params: Record<number, number> }) => Uint8Array;
  readonly constants: { readonly [name: string]: unknown };
}

function nativeZstd(): Compressor | null {
  const { zstdCompressSync, constants }: NodeZstd = zlib;
  const level = constants.ZSTD_c_compressionLevel;
  if (zstdCompressSync === undefined || typeof level !== "number") return null;
  const params = { [level]: ZSTD_LEVEL };
  return (bytes) => zstdCompressSync(bytes, { params });
}
