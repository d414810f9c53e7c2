/**
 * Writes chunks encoded in all ways, and what they were:
 *
 *     node test/interop/written/make_encoded_chunks.mjs OUT/
 *
 * test_encoded_chunks.py decodes them by the reference implementations. The encoders are no part of the public API, and
 * are bundled from src/.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { importBundled } from "../../../scripts/import-bundled.mjs";

const out = process.argv[2];
mkdirSync(out, { recursive: true });

const { encodeChunk } = await importBundled("src/kernels/codecs/encode-chunk.ts");

const noise = (i) => Math.imul(i ^ (i >>> 7), 0x9e3779b1) >>> 0;
const bytesOf = (values) => new Uint8Array(values.buffer);

/** Sorted within rows, as the indices of a matrix are. */
function indices(count, Type) {
  let value = 0;
  return bytesOf(
    Type.from({ length: count }, (_, i) => {
      value = (value + 1 + (noise(i) >>> 27)) % 20_000;
      return Type === BigInt64Array ? BigInt(value) : value;
    }),
  );
}

const chunks = {
  empty: new Uint8Array(0),
  one: Uint8Array.of(7),
  odd: Uint8Array.from({ length: 1003 }, (_, i) => i >> 3),
  zeros: new Uint8Array(600_000),
  noise: Uint8Array.from({ length: 100_001 }, (_, i) => noise(i) >>> 13),
  text: new TextEncoder().encode(Array.from({ length: 9000 }, (_, i) => `cell-${noise(i) % 9973}-ü`).join("\n")),
  int32: indices(26_853, Int32Array),
  int64: indices(34_001, BigInt64Array),
  int16: indices(140_001, Int16Array),
  counts: bytesOf(Float32Array.from({ length: 70_000 }, (_, i) => 1 + (noise(i) % 97 < 60 ? 0 : noise(i) % 30))),
  doubles: bytesOf(Float64Array.from({ length: 33_000 }, (_, i) => Math.sin(i / 100))),
};

const encodings = {};
for (const level of [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]) {
  for (const form of ["zlib", "gzip"]) encodings[`${form}-${level}`] = [{ kind: "deflate", level, form }];
}
for (const level of [-5, 0, 1, 2, 3, 4, 5, 6, 7, 9, 12, 19, 22]) {
  encodings[`zstd-${level}`] = [{ kind: "zstd", level, checksum: level % 2 === 0 }];
}
for (const cname of ["lz4", "zstd"]) {
  for (const clevel of [0, 1, 5, 9]) {
    for (const shuffle of ["none", "byte"]) {
      for (const elementBytes of [1, 2, 4, 8, 12, 20, 300]) {
        const step = { kind: "blosc", cname, clevel, shuffle, elementBytes };
        encodings[`blosc-${cname}-${clevel}-${shuffle}-${elementBytes}`] = [step];
      }
    }
  }
}
for (const elementBytes of [1, 2, 3, 4, 8, 16])
  encodings[`shuffle-${elementBytes}`] = [{ kind: "shuffle", elementBytes }];
encodings.fletcher32 = [{ kind: "fletcher32" }];
encodings.crc32c = [{ kind: "crc32c" }];
encodings["hdf5-all"] = [
  { kind: "shuffle", elementBytes: 4 },
  { kind: "deflate", level: 4, form: "zlib" },
  { kind: "fletcher32" },
];
encodings["zarr-all"] = [{ kind: "zstd", level: 3, checksum: false }, { kind: "crc32c" }];

const list = [];
for (const [chunk, bytes] of Object.entries(chunks)) {
  writeFileSync(join(out, `${chunk}.raw`), bytes);
  for (const [encoding, steps] of Object.entries(encodings)) {
    const file = `${chunk}.${encoding}`;
    writeFileSync(join(out, file), await encodeChunk(bytes.slice(), steps));
    list.push({ chunk, encoding, steps, file });
  }
}
writeFileSync(join(out, "chunks.json"), JSON.stringify(list));
