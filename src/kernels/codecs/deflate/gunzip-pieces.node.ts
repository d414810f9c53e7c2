import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { installGunzip } from "./gunzip-pieces.js";

/**
 * Lets gzip files that come in pieces go through node:zlib, which takes any number of members one after the other: Node's
 * own DecompressionStream refuses all but the first from version 24 on. Called once by the Node entry.
 */
export function installNodeGunzip(): void {
  installGunzip((stored) => {
    const decoder = createGunzip();
    // Its errors come out of the decoder.
    pipeline(Readable.from(stored), decoder, () => undefined);
    return decoder[Symbol.asyncIterator]();
  });
}
