import { expect, test } from "vitest";
import { openChunkIndex } from "../../../src/containers/hdf5/chunks/open-chunk-index.js";
import { describeDataset } from "../../../src/containers/hdf5/dataset/dataset.js";
import { Hdf5File } from "../../../src/containers/hdf5/file/hdf5-file.js";
import { readObjectHeader } from "../../../src/containers/hdf5/objects/object-header.js";
import { bytesSource, fixtureBytes, openArray, openFixture } from "./fixture.js";

/** A dataset's index, and the ranges that are read through it. */
async function counted(name: string, path: string) {
  const container = await openFixture(name);
  const { id } = await openArray(container, path);
  const memory = bytesSource(fixtureBytes(name));
  const reads: number[] = [];
  const source = {
    ...memory,
    read: (start: number, end: number) => {
      reads.push(end - start);
      return memory.read(start, end);
    },
  };
  const file = new Hdf5File(source, 0, { offsets: 8, lengths: 8 });
  const dataset = describeDataset(await readObjectHeader(file, Number(id)), file);
  const { layout, maximum, extent } = dataset;
  if (layout.kind !== "chunked" || extent === null) throw new Error("not chunked");
  const index = openChunkIndex(file, layout, maximum);
  if (index === null) throw new Error("no chunks");
  reads.length = 0;
  return { index, extent, reads, dataset };
}

test("the nodes of one level are read together", async () => {
  // 300 chunks in a root and 5 nodes or more of some 2 kB.
  const { index, extent, reads } = await counted("layouts", "many_chunks");
  expect(await index.find({ rows: [0, 300], shape: extent })).toHaveLength(300);
  expect(reads.length).toBeLessThanOrEqual(3);
});

test("one row reads no other pages, and twice reads nothing again", async () => {
  const { index, extent, reads } = await counted("chunks_paged", "extensible plain");
  expect(await index.find({ rows: [135_155, 135_156], shape: extent })).toHaveLength(1);
  expect(reads.length).toBeLessThanOrEqual(6);
  // Header, index block, super block of 64 data blocks, and of one data block what is near to a page of 1024 addresses.
  expect(reads.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(18_000);
  const before = reads.length;
  expect(await index.find({ rows: [135_155, 135_156], shape: extent })).toHaveLength(1);
  expect(await index.find({ rows: [134_200, 134_300], shape: extent })).toHaveLength(0);
  expect(reads).toHaveLength(before);
});

test.each(["1 fixed gzip", "1 single gzip", "2 first plain", "2 all gzip", "2 early limited"])(
  "what is known of %s is plain data, and small",
  async (path) => {
    const { dataset } = await counted("chunks_v110", path);
    const copy = structuredClone(dataset);
    expect(copy).toEqual(dataset);
    expect(dataset.fill.buffer.byteLength).toBeLessThanOrEqual(4);
  },
);

test("compact values travel without the file around them", async () => {
  const container = await openFixture("layouts");
  const { id } = await openArray(container, "compact");
  const file = new Hdf5File(bytesSource(fixtureBytes("layouts")), 0, { offsets: 8, lengths: 8 });
  const { layout } = describeDataset(await readObjectHeader(file, Number(id)), file);
  expect(layout.kind === "compact" && layout.bytes.buffer.byteLength).toBe(37 * 3 * 4);
});
