/** The platform of Node. */

import { gzipSync } from "node:zlib";
import type { Platform } from "./platform.js";
import { nodeThreads } from "./threads.node.js";
import { crc32, deflate, gunzip, inflate, zstd } from "./zlib.node.js";

export const platform: Platform = {
  inflate,
  deflate,
  gzip: (bytes) => gzipSync(bytes),
  gunzip,
  zstd,
  crc32,
  threads: nodeThreads(),
  h5wasmOnFiles: () => import("h5wasm/node"),
};
