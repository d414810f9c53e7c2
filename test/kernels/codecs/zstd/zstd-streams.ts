/** The streams of test/fixtures/zarr/make_zstd.py. */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

export interface Stream {
  readonly name: string;
  readonly at: number;
  readonly length: number;
  /** Bytes that it gives, and their hash. */
  readonly bytes: number;
  readonly sha256: string;
  /** Whether all its frames have one. */
  readonly checksums: boolean;
  /** Whether it is what the library makes at level 1 without further options. */
  readonly reference: boolean;
  readonly refused: boolean;
}

const folder = "test/fixtures/data/zstd";
const data = new Uint8Array(readFileSync(`${folder}/streams.bin`));

export const STREAMS: readonly Stream[] = JSON.parse(readFileSync(`${folder}/streams.json`, "utf8"));

export const storedOf = ({ at, length }: Stream) => data.slice(at, at + length);

export const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
