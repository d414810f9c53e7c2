/** An AnnData store written by hand, as the Zarr v2 specification and AnnData's on-disk format have it: no codec of ours. */

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

type Numbers = Int8Array | Uint8Array | Int32Array | BigInt64Array | Float32Array | Float64Array;

const DTYPES = new Map<unknown, string>([
  [Int8Array, "|i1"],
  [Uint8Array, "|u1"],
  [Int32Array, "<i4"],
  [BigInt64Array, "<i8"],
  [Float32Array, "<f4"],
  [Float64Array, "<f8"],
]);

export class ZarrStore {
  readonly #write: (key: string, bytes: Uint8Array) => void;

  /** @param write where a value goes: a folder, a zip. */
  constructor(write: (key: string, bytes: Uint8Array) => void) {
    this.#write = write;
  }

  group(path: string, attributes: object): void {
    const prefix = path === "" ? "" : `${path}/`;
    this.#json(`${prefix}.zgroup`, { zarr_format: 2 });
    this.#json(`${prefix}.zattrs`, attributes);
  }

  /** A 1-D array in chunks of `chunk` values. */
  numbers(path: string, values: Numbers, chunk: number, dtype = DTYPES.get(values.constructor)): void {
    this.#array(path, values.length, chunk, dtype, null, { "encoding-type": "array", "encoding-version": "0.2.0" });
    for (let i = 0; i * chunk < values.length; i++) {
      const part = new Uint8Array(chunk * values.BYTES_PER_ELEMENT);
      const own = values.subarray(i * chunk, (i + 1) * chunk);
      part.set(new Uint8Array(own.buffer, own.byteOffset, own.byteLength));
      this.#write(`${path}/${i}`, part);
    }
  }

  /** Text by numcodecs' vlen-utf8: the number of items, then length and bytes of each. */
  text(path: string, values: readonly string[], chunk: number): void {
    this.#array(path, values.length, chunk, "|O", [{ id: "vlen-utf8" }], {
      "encoding-type": "string-array",
      "encoding-version": "0.2.0",
    });
    for (let i = 0; i * chunk < values.length; i++) {
      const items = Array.from({ length: chunk }, (_, k) => Buffer.from(values[i * chunk + k] ?? ""));
      const parts = items.flatMap((item) => [u32(item.length), item]);
      this.#write(`${path}/${i}`, Buffer.concat([u32(chunk), ...parts]));
    }
  }

  #array(path: string, length: number, chunk: number, dtype: unknown, filters: unknown, attributes: object): void {
    const fill = dtype === "|O" ? "" : 0;
    const rest = { compressor: null, fill_value: fill, filters, order: "C" };
    this.#json(`${path}/.zarray`, { zarr_format: 2, shape: [length], chunks: [chunk], dtype, ...rest });
    this.#json(`${path}/.zattrs`, attributes);
  }

  #json(key: string, value: unknown): void {
    this.#write(key, Buffer.from(JSON.stringify(value)));
  }
}

/** Writes values as files below `root`. */
export function intoFolder(root: string): (key: string, bytes: Uint8Array) => void {
  return (key, bytes) => {
    const path = join(root, key);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
  };
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
