/** Chunks that one container stores as they are stored in another one: all filters, codecs, types and chunk indexes. */

import { readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { openHdf5 } from "../../src/containers/hdf5/container.js";
import { createHdf5 } from "../../src/containers/hdf5/write/container.js";
import { joinArrays } from "../../src/containers/joined/joined-array.js";
import { createPickedArray } from "../../src/containers/picked/picked-array.js";
import type { Container, Group, StoredArray } from "../../src/containers/tree/container.js";
import type { ContainerWriter } from "../../src/containers/tree/container-writer.js";
import { computeGridShape, type StoredChunks } from "../../src/containers/tree/stored-chunks.js";
import { openZarr } from "../../src/containers/zarr/open.js";
import { createZarr } from "../../src/containers/zarr/write/container.js";
import { mapSource } from "../../src/io/sources/map.js";
import { createBytesSource } from "../../src/io/sources/memory.js";
import { createBytesTarget, mapTarget } from "../../src/io/targets/memory.js";
import { countElements, viewAsBytes } from "../../src/model/stored.js";
import { chunksOf } from "../stored-chunks.js";
import { NO_COMPRESSION } from "./hdf5/write/written.js";
import { zipStore } from "./zarr/stores.js";
import { inlineEncoder } from "./zarr/write/written.js";

const FOLDER = "test/fixtures/data/hdf5";

const SOURCES: Readonly<Record<string, () => Promise<Container>>> = {
  ...Object.fromEntries(
    readdirSync(FOLDER)
      .filter((name) => /^(chunks_.*|layouts|lzf.*|types|newest|filters)\.h5(\.gz)?$/.test(name))
      .map((name) => [name, () => openFixture(name)]),
  ),
  "v2.zip": async () => openZarr(await zipStore("v2")),
  "v3.zip": async () => openZarr(await zipStore("v3")),
};

async function openFixture(name: string): Promise<Container> {
  const bytes = readFileSync(`${FOLDER}/${name}`);
  return openHdf5(createBytesSource(new Uint8Array(name.endsWith(".gz") ? gunzipSync(bytes) : bytes), name));
}

const TARGETS = ["hdf5", "zarr2", "zarr3"] as const;

/** All arrays of the container. */
async function arraysIn(group: Group): Promise<StoredArray[]> {
  const found: StoredArray[] = [];
  for (const name of await group.keys()) {
    const node = await group.open(name).catch(() => null);
    if (node?.kind === "array") found.push(node);
    if (node?.kind === "group") found.push(...(await arraysIn(node)));
  }
  return found;
}

async function keptIn(kind: (typeof TARGETS)[number], arrays: readonly (readonly [StoredArray, StoredChunks])[]) {
  const keys = new Map<string, Uint8Array>();
  const bytes = createBytesTarget("new.h5");
  const store = mapTarget(keys);
  const writer: ContainerWriter =
    kind === "hdf5"
      ? createHdf5(bytes, { encoder: inlineEncoder(), compression: NO_COMPRESSION })
      : createZarr(store, {
          version: kind === "zarr2" ? 2 : 3,
          encoder: inlineEncoder(),
          compression: NO_COMPRESSION,
        });
  const kept: (readonly [string, StoredArray])[] = [];
  for (const [i, [array, chunks]] of arrays.entries()) {
    const { type, shape } = array;
    if (shape === null) throw new TypeError("an array has a shape");
    const copy = await writer.root.keep?.(String(i), { type, shape, chunks });
    if (copy === null || copy === undefined) continue;
    await copy(() => undefined);
    kept.push([String(i), array]);
  }
  await writer.close();
  await (kind === "hdf5" ? bytes : store).commit();
  const container =
    kind === "hdf5" ? await openHdf5(createBytesSource(bytes.bytes())) : await openZarr(mapSource(keys, kind));
  return { container, kept };
}

async function valuesOf(array: StoredArray): Promise<Buffer> {
  const values = await array.read(0, array.shape?.[0] ?? 1);
  if (values.kind === "variable") return Buffer.concat([viewAsBytes(values.offsets), values.bytes]);
  if (values.kind !== "fixed") throw new TypeError("numbers are fixed");
  return Buffer.from(viewAsBytes(values.values));
}

/**
 * The number of arrays that each target can keep. Zarr has no lzf and no chunks that skip a filter, version 3 no zlib;
 * HDF5 has no Blosc of its own, and text stays in one version of Zarr. `resized` has fill values that are not zero, `newest` and `types` are not in chunks.
 */
const COUNTS: Readonly<Record<string, readonly [hdf5: number, zarr2: number, zarr3: number]>> = {
  "chunks_many.h5": [4, 4, 3],
  "chunks_masks_v108.h5": [3, 0, 0],
  "chunks_masks_v110.h5": [3, 0, 0],
  "chunks_masks_v200.h5": [3, 0, 0],
  "chunks_paged.h5": [1, 1, 1],
  "chunks_resized_v108.h5": [0, 0, 0],
  "chunks_resized_v110.h5": [0, 0, 0],
  "chunks_resized_v200.h5": [0, 0, 0],
  "chunks_v108.h5": [20, 20, 10],
  "chunks_v110.h5": [36, 36, 18],
  "chunks_v112.h5": [12, 12, 6],
  "chunks_v114.h5": [8, 8, 4],
  "chunks_v200.h5": [36, 36, 18],
  "filters.h5.gz": [109, 48, 41],
  "layouts.h5": [13, 10, 3],
  "lzf.h5": [5, 0, 0],
  "lzf_newer.h5": [1, 0, 0],
  "newest.h5": [0, 0, 0],
  "types.h5": [0, 0, 0],
  "v2.zip": [36, 82, 50],
  "v3.zip": [6, 20, 61],
};

describe.each(Object.keys(SOURCES))("arrays of %s", (name) => {
  test.each(TARGETS)("keep their chunks in %s", async (kind) => {
    const source = await SOURCES[name]();
    const arrays = (await arraysIn(source.root)).flatMap((array) => {
      const chunks = array.capabilities?.storedChunks;
      return chunks === undefined ? [] : [[array, chunks] as const];
    });
    const { container, kept } = await keptIn(kind, arrays);
    for (const [path, array] of kept) {
      const copy = await container.root.open(path);
      if (copy.kind !== "array") throw new TypeError(`${path} is an array`);
      expect(copy.type, array.path).toEqual(array.type);
      expect(copy.shape, array.path).toEqual(array.shape);
      expect(copy.capabilities?.storedChunks?.chunk, array.path).toEqual(array.capabilities?.storedChunks?.chunk);
      expect(await chunksOf(copy), array.path).toEqual(await chunksOf(array));
      const values = await valuesOf(array).catch(() => null);
      if (values !== null) expect(Buffer.compare(await valuesOf(copy), values), array.path).toBe(0);
    }
    expect(kept.length).toBe(COUNTS[name][TARGETS.indexOf(kind)]);
  });

  test.each(TARGETS)("keep the chunks of consecutive rows in %s", async (kind) => {
    const source = await SOURCES[name]();
    const parts = new Map<
      StoredArray,
      { readonly array: StoredArray; readonly first: number; readonly whole: number }
    >();
    for (const array of await arraysIn(source.root)) {
      const [rows, step] = [array.shape?.[0] ?? 0, array.capabilities?.storedChunks?.chunk[0] ?? 0];
      for (const [start, end] of [
        [0, rows - 1],
        [step, rows],
        [step, rows - 1],
        [0, 2 * step],
      ] as const) {
        if (step === 0 || start >= end || end > rows) continue;
        const part = createPickedArray(array, { starts: Float64Array.of(start), ends: Float64Array.of(end - start) });
        const count = end - start;
        const whole = end === rows ? Math.ceil(count / step) : Math.floor(count / step);
        parts.set(part, { array, first: start / step, whole });
      }
    }
    const chosen = [...parts.keys()].flatMap((part) => {
      const chunks = part.capabilities?.storedChunks;
      return chunks === undefined ? [] : [[part, chunks] as const];
    });
    const readable = await Promise.all(chosen.map(([part]) => valuesOf(part).then(Buffer.isBuffer, () => false)));
    const { container, kept } = await keptIn(
      kind,
      chosen.filter((_, i) => readable[i]),
    );
    for (const [path, part] of kept) {
      const copy = await container.root.open(path);
      const from = parts.get(part);
      if (copy.kind !== "array" || from === undefined) throw new TypeError(`${path} is an array`);
      expect(Buffer.compare(await valuesOf(copy), await valuesOf(part)), part.path).toBe(0);
      const across = countElements(
        computeGridShape(copy.shape ?? [], copy.capabilities?.storedChunks?.chunk ?? []).slice(1),
      );
      const stored = await chunksOf(from.array);
      const found = await chunksOf(copy);
      for (let place = 0; place < from.whole * across; place++) {
        expect(found.get(place), part.path).toEqual(stored.get(place + from.first * across));
      }
    }
    expect(kept.length > 0).toBe(readable.includes(true) && COUNTS[name][TARGETS.indexOf(kind)] > 0);
  });

  test.each(TARGETS)("keep the chunks of arrays one after the other in %s", async (kind) => {
    const source = await SOURCES[name]();
    const joins = new Map<StoredArray, readonly StoredArray[]>();
    for (const array of await arraysIn(source.root)) {
      const [rows, step] = [array.shape?.[0] ?? 0, array.capabilities?.storedChunks?.chunk[0] ?? 0];
      if (step === 0 || rows < step || !(await valuesOf(array).then(Buffer.isBuffer, () => false))) continue;
      const whole = createPickedArray(array, { starts: Float64Array.of(0), ends: Float64Array.of(step) });
      // Behind whole chunks the second array begins at a place of the grid; behind all rows it may not.
      for (const parts of [
        [whole, array],
        [array, whole, array],
      ]) {
        const joined = joinArrays(parts);
        if (joined?.capabilities?.storedChunks !== undefined) joins.set(joined, parts);
      }
    }
    const chosen = [...joins.keys()].flatMap((joined) => {
      const chunks = joined.capabilities?.storedChunks;
      return chunks === undefined ? [] : [[joined, chunks] as const];
    });
    const { container, kept } = await keptIn(kind, chosen);
    for (const [path, joined] of kept) {
      const copy = await container.root.open(path);
      const parts = joins.get(joined);
      if (copy.kind !== "array" || parts === undefined) throw new TypeError(`${path} is an array`);
      const values = Buffer.concat(await Promise.all(parts.map(valuesOf)));
      expect(Buffer.compare(await valuesOf(copy), values), joined.path).toBe(0);
      expect(Buffer.compare(await valuesOf(joined), values), joined.path).toBe(0);
    }
    expect(kept.length > 0).toBe(chosen.length > 0 && COUNTS[name][TARGETS.indexOf(kind)] > 0);
  });
});
