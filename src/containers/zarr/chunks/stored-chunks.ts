/** The stored chunks of an array, which are the values of its keys in the store. */

import type { KeyValueSource, ReadOptions } from "../../../io/sources/source.js";
import { InvalidDataError, runWithLocation } from "../../../model/errors.js";
import { countElements } from "../../../model/stored.js";
import {
  computeChunkPosition,
  computeGridShape,
  type FindOptions,
  isNumber,
  type StoredChunkBatch,
  type StoredChunks,
  type StoredCodec,
} from "../../tree/stored-chunks.js";
import {
  type ArrayMetadata,
  type CodecSpec,
  countChunkBytes,
  getChunkKey,
  getEncodedLimit,
  joinPath,
} from "../metadata/metadata.js";

/** Number of stored values that are read ahead. */
const AHEAD = 8;

/**
 * Returns an object that copies the chunks of the array at `path`; null if other containers would interpret the chunks
 * differently.
 */
export function createZarrStoredChunks(
  source: KeyValueSource,
  path: string,
  metadata: ArrayMetadata,
): StoredChunks | null {
  const { version, shape, chunkShape, type, fill, codecs } = metadata;
  const { layout } = type;
  // In all containers, missing chunks read as zeros or as empty text.
  if (shape.length === 0 || fill.some((byte) => byte !== 0)) return null;
  const isNumbers = layout.kind === "fixed" && isNumber(type.stored) && !layout.big;
  if (!isNumbers && !isText(metadata)) return null;
  const names = { source: source.name, element: path };
  const all = codecs.map(codecOf);
  const behindValues = layout.kind === "fixed" && isLittle(codecs[0], layout.word) ? all.slice(1) : null;
  // Without codecs, all chunks have the same length.
  const length = behindValues?.length === 0 ? countChunkBytes(chunkShape, type) : null;
  return {
    container: version === 2 ? "zarr2" : "zarr3",
    chunk: chunkShape,
    codecs: all,
    behindValues,
    find: (options) =>
      runWithLocation(names, async () => {
        const found = await placesOf(source, path, metadata, options);
        const pieces = (files: boolean, how?: ReadOptions) =>
          files && source.file !== undefined
            ? filePieces(source, path, metadata, { ...found, length })
            : valuePieces(source, path, metadata, { ...found, length }, how);
        const checkUnchanged = () => runWithLocation(names, () => checkVersions(source, found));
        return { count: found.places.length, skipsCodecs: false, pieces, checkUnchanged };
      }),
  };
}

/** True if values are text of any length in the form that can be copied. Version 2 has several forms for text. */
function isText({ version, type, codecs }: ArrayMetadata): boolean {
  if (type.layout.kind !== "variable" || type.stored.kind !== "text") return false;
  return version === 3 || codecs.some(({ name }) => name === "vlen-utf8");
}

/** True if the first codec encodes values as little-endian bytes. */
function isLittle(first: CodecSpec | undefined, word: number): boolean {
  return first?.name === "bytes" && (word === 1 || first.configuration.endian !== "big");
}

function codecOf({ name, configuration }: CodecSpec): StoredCodec {
  const zarr = { name, configuration };
  const number = (key: string, usual: number) => {
    const value = configuration[key] ?? usual;
    return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : usual;
  };
  switch (name) {
    case "zlib":
    case "numcodecs.zlib":
      return { zarr, hdf5: { id: 1, values: [Math.min(9, number("level", 1))] } };
    case "shuffle":
    case "numcodecs.shuffle":
      return { zarr, hdf5: { id: 2, values: [number("elementsize", 4)] } };
    case "fletcher32":
    case "numcodecs.fletcher32":
      return { zarr, hdf5: { id: 3, values: [] } };
    default:
      return { zarr, hdf5: null };
  }
}

interface Places {
  /** The positions of the chunks in the grid, in ascending order. */
  readonly places: readonly number[];
  /** True if all these chunks are known to exist; otherwise each must be looked up. */
  readonly listed: boolean;
  /** The versions of the folders that contain the chunks. */
  readonly versions: ReadonlyMap<string, string>;
}

interface Expected extends Places {
  /** Size of each chunk in bytes; null if the chunks differ in size. */
  readonly length: number | null;
}

const POSITION = /^(?:0|[1-9]\d{0,15})$/;

async function placesOf(
  source: KeyValueSource,
  path: string,
  { shape, chunkShape, keys }: ArrayMetadata,
  options?: FindOptions,
): Promise<Places> {
  const grid = computeGridShape(shape, chunkShape);
  const versions = new Map<string, string>();
  const list = async (prefix: string): Promise<readonly string[] | null> => {
    options?.signal?.throwIfAborted();
    const version = await source.version?.(prefix);
    if (version !== undefined) versions.set(prefix, version);
    return source.list(prefix, options);
  };
  const positions: (readonly number[])[] = [];
  const nested = async (prefix: string, above: readonly number[]): Promise<boolean> => {
    const names = await list(prefix);
    if (names === null) return false;
    const size = grid[above.length];
    for (const name of names) {
      if (!POSITION.test(name) || Number(name) >= size) continue;
      const position = [...above, Number(name)];
      if (position.length === grid.length) positions.push(position);
      else if (!(await nested(joinPath(prefix, name), position))) return false;
    }
    return true;
  };
  const flat = async (): Promise<boolean> => {
    const names = await list(path);
    if (names === null) return false;
    for (const name of names) {
      const parts = name.split(".");
      if (keys.name === "default" && parts.shift() !== "c") continue;
      if (parts.length !== grid.length || !parts.every((part) => POSITION.test(part))) continue;
      const position = parts.map(Number);
      if (position.every((at, d) => at < grid[d])) positions.push(position);
    }
    return true;
  };
  const top = keys.name === "default" ? joinPath(path, "c") : path;
  const listed = keys.separator === "/" ? await nested(top, []) : await flat();
  const [first, end] = options?.bands ?? [0, grid[0]];
  if (!listed) {
    const across = countElements(grid.slice(1));
    const length = (Math.min(end, grid[0]) - first) * across;
    return { places: Array.from({ length }, (_, i) => first * across + i), listed: false, versions };
  }
  const places = positions
    .filter(([band]) => band >= first && band < end)
    .map((position) => position.reduce((place, at, d) => place * grid[d] + at, 0));
  return { places: places.sort((a, b) => a - b), listed: true, versions };
}

async function* filePieces(
  source: KeyValueSource,
  path: string,
  metadata: ArrayMetadata,
  expected: Expected,
): AsyncGenerator<StoredChunkBatch> {
  const keyOf = keysOf(path, metadata);
  for (const place of expected.places) {
    const key = keyOf(place);
    yield {
      kind: "file",
      place,
      locate: () =>
        runWithLocation({ source: source.name, element: path }, async () => {
          const file = await source.file?.(key);
          if (file === undefined) return expected.listed ? changed(key) : null;
          checkLength(key, file.size, expected.length);
          return file;
        }),
    };
  }
}

async function* valuePieces(
  source: KeyValueSource,
  path: string,
  metadata: ArrayMetadata,
  expected: Expected,
  options?: ReadOptions,
): AsyncGenerator<StoredChunkBatch> {
  const keyOf = keysOf(path, metadata);
  const most = getEncodedLimit(countChunkBytes(metadata.chunkShape, metadata.type));
  const names = { source: source.name, element: path };
  const fetch = (place: number) =>
    runWithLocation(names, async () => {
      const key = keyOf(place);
      const bytes = await source.get(key, { ...options, most });
      if (bytes === undefined) return expected.listed ? changed(key) : null;
      checkLength(key, bytes.length, expected.length);
      return bytes;
    });
  const coming: Promise<Uint8Array | null>[] = [];
  let next = 0;
  for (const place of expected.places) {
    options?.signal?.throwIfAborted();
    while (next < expected.places.length && coming.length < AHEAD) {
      const begun = fetch(expected.places[next++]);
      // The promise is awaited later in turn, possibly after it has been rejected.
      begun.catch(() => undefined);
      coming.push(begun);
    }
    const bytes = await coming.shift();
    if (bytes === null || bytes === undefined) continue;
    yield {
      kind: "bytes",
      bytes,
      // A source's own memory must not be written to.
      isOwn: false,
      chunks: [{ place, start: 0, length: bytes.length, skipped: 0 }],
      release: () => undefined,
    };
  }
}

function keysOf(path: string, { shape, chunkShape, keys }: ArrayMetadata): (place: number) => string {
  const grid = computeGridShape(shape, chunkShape);
  return (place) => joinPath(path, getChunkKey(keys, computeChunkPosition(place, grid)));
}

function checkLength(key: string, length: number, expected: number | null): void {
  if (expected !== null && length !== expected) {
    throw new InvalidDataError(`chunk ${key}: ${length} bytes, expected ${expected}`);
  }
}

async function checkVersions(source: KeyValueSource, { versions }: Places): Promise<void> {
  for (const [prefix, version] of versions) {
    if ((await source.version?.(prefix)) !== version) await changed(prefix);
  }
}

async function changed(key: string): Promise<never> {
  throw new InvalidDataError(`${key} has changed while it was read`, { code: "source-changed" });
}
