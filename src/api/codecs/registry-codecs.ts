/** Adapts the codecs in `containers/zarr/codecs/` to zarrita's registry. */

import type { CodecModule, ObjectCodec } from "../../containers/zarr/codecs/codec.js";
import { loadCodec } from "../../containers/zarr/codecs/registry.js";
import type { JsonObject } from "../../containers/zarr/metadata/json.js";
import type { ByteCodec } from "../../kernels/codecs/bounds/byte-codec.js";
import { checkSize, MAX_CHUNK_BYTES, type OutputSize } from "../../kernels/codecs/bounds/byte-codec.js";
import { InvalidDataError, UnsupportedError } from "../../model/errors.js";
import { countElements } from "../../model/stored.js";

/** Properties of the chunks that zarrita passes to a codec. */
export interface ChunkInfo {
  /** Data type under zarrita's name, such as `int32`, `string` or `v2:U8`. */
  readonly dataType: string;
  readonly shape: readonly number[];
  readonly codecs: readonly { readonly name: string; readonly configuration: unknown }[];
}

/** A codec for the chunks of one array. */
export interface RegisteredCodec {
  readonly kind: "bytes_to_bytes" | "array_to_bytes";
  /** @throws {UnsupportedError} if zarrita did not have the codec. */
  encode(data: unknown): Promise<unknown>;
  /** @throws {InvalidDataError} if the codec could not have written these bytes. */
  decode(bytes: Uint8Array): Promise<unknown>;
  /** Returns the encoded size in bytes for `decoded` bytes; absent if the size depends on their content. */
  computeEncodedSize?(decoded: number): number;
}

/** The value for a name in zarrita's registry. */
export interface RegistryEntry {
  fromConfig(configuration: unknown, chunks: ChunkInfo): RegisteredCodec;
}

/** Type of zarrita's `registry`, a Map from names to codecs. */
export interface CodecRegistry {
  get(name: string): unknown;
  set(name: string, load: () => Promise<RegistryEntry>): unknown;
}

/** Codecs that convert bytes or texts to bytes. In version 2 of the format, each name has the prefix `numcodecs.`. */
const NAMES = [
  ...["blosc", "zstd", "lz4", "gzip", "zlib", "bz2", "lzma"],
  ...["crc32", "crc32c", "adler32", "fletcher32"],
  ...["vlen-utf8"],
];

/**
 * Registers annarrow's codecs with zarrita: blosc, zstd, lz4, gzip, zlib, bz2, lzma, crc32, crc32c, adler32,
 * fletcher32 and vlen-utf8. Each is also registered with the prefix `numcodecs.`, which zarrita uses for version 2
 * codecs. Checksums are verified, and data that violate a codec's format cause an `InvalidDataError`. Writing still
 * uses the codecs that were registered before.
 * @param registry the `registry` in the copy of zarrita that opens the arrays.
 * @returns the registered names.
 * @example
 * ```ts
 * import * as zarr from "zarrita";
 * registerCodecs(zarr.registry);
 * ```
 */
export function registerCodecs(registry: CodecRegistry): readonly string[] {
  const names = NAMES.flatMap((name) => [name, `numcodecs.${name}`]);
  for (const name of names) {
    const before = registry.get(name);
    registry.set(name, async () => {
      const module = await loadCodec(name.replace(/^numcodecs\./, ""));
      if (module === null) throw new TypeError(`no codec ${name}`);
      return entryOf(name, module, before);
    });
  }
  return names;
}

function entryOf(name: string, module: CodecModule, before: unknown): RegistryEntry {
  return {
    fromConfig(configuration, chunks) {
      const settings = settingsOf(configuration);
      const encode = async (data: unknown) => (await encoderOf(name, before, configuration, chunks))(data);
      if (module.kind === "objects") {
        return { kind: "array_to_bytes", encode, decode: textDecoder(module.make(settings), chunks.shape) };
      }
      const codec = module.make(settings, ITEM_BYTES.get(chunks.dataType) ?? null);
      return {
        kind: "bytes_to_bytes",
        encode,
        decode: byteDecoder(codec, decodedSize(configuration, chunks)),
        computeEncodedSize: codec.encodedSize(0) === null ? undefined : (size: number) => codec.encodedSize(size) ?? 0,
      };
    },
  };
}

function byteDecoder({ decode }: ByteCodec, size: OutputSize): RegisteredCodec["decode"] {
  return async (encoded) => {
    const bytes = await decode(encoded, size);
    checkSize(bytes.length, size);
    // Some of zarrita's codecs read the whole buffer that contains the bytes.
    return bytes.length === bytes.buffer.byteLength ? bytes : bytes.slice();
  };
}

function textDecoder({ decode }: ObjectCodec, shape: readonly number[]): RegisteredCodec["decode"] {
  const stride = shape.map((_, axis) => countElements(shape.slice(axis + 1)));
  return async (encoded) => {
    const chunk = decode(encoded, countElements(shape));
    if (chunk.kind !== "variable") throw new InvalidDataError("items of a fixed size, expected texts");
    const { offsets, bytes } = chunk;
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    const used = bytes.subarray(0, offsets[offsets.length - 1]);
    const all = decoder.decode(used);
    // With one character per byte, text offsets equal byte offsets.
    const isAscii = all.length === used.length;
    const data = Array.from({ length: offsets.length - 1 }, (_, i) =>
      isAscii ? all.slice(offsets[i], offsets[i + 1]) : decoder.decode(bytes.subarray(offsets[i], offsets[i + 1])),
    );
    return { data, shape: [...shape], stride };
  };
}

/** Bytes per item, keyed by zarrita's type name. */
const ITEM_BYTES: ReadonlyMap<string, number> = new Map([
  ["bool", 1],
  ...["int", "uint", "float"].flatMap((kind) =>
    [8, 16, 32, 64].map((bits): [string, number] => [`${kind}${bits}`, bits / 8]),
  ),
]);

/** Returns the size of a codec's output. This is the chunk's size in bytes if no earlier codec changes it. */
function decodedSize(configuration: unknown, { dataType, shape, codecs }: ChunkInfo): OutputSize {
  const item = ITEM_BYTES.get(dataType);
  const own = codecs.findIndex((codec) => codec.configuration === configuration);
  const isFirst = own >= 0 && codecs.slice(0, own).every(({ name }) => name === "transpose" || name === "bytes");
  if (item === undefined || configuration === undefined || !isFirst) return { bytes: MAX_CHUNK_BYTES, exact: false };
  return { bytes: countElements(shape) * item, exact: true };
}

function settingsOf(configuration: unknown): JsonObject {
  if (typeof configuration !== "object" || configuration === null) return {};
  // This cast is the only one. zarrita has parsed the configuration from a JSON document.
  return configuration as JsonObject;
}

/** Returns the encoder of the codec that was registered earlier. */
async function encoderOf(
  name: string,
  before: unknown,
  configuration: unknown,
  chunks: ChunkInfo,
): Promise<(data: unknown) => unknown> {
  const entry: unknown = typeof before === "function" ? await before() : undefined;
  const codec = hasMethod(entry, "fromConfig") ? entry.fromConfig(configuration, chunks) : undefined;
  if (!hasMethod(codec, "encode")) throw new UnsupportedError(`codec ${name} is read and not written`);
  return (data) => codec.encode(data);
}

function hasMethod<Name extends string>(
  value: unknown,
  name: Name,
): value is Readonly<Record<Name, (...values: unknown[]) => unknown>> {
  const isThing = (typeof value === "object" && value !== null) || typeof value === "function";
  return isThing && typeof Reflect.get(value, name) === "function";
}
