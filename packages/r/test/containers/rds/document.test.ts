import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { createBytesTarget } from "../../../../../src/io/targets/memory.js";
import { createTemporarySpill } from "../../../../../src/jobs/external-sort/spill.node.js";
import { createChunkEncoder } from "../../../../../src/jobs/workers/chunk-encoder.js";
import { computeCrc32 } from "../../../../../src/kernels/checksums/checksums.js";
import { combineCrc32 } from "../../../../../src/kernels/checksums/crc32-combine.js";
import type { RValue } from "../../../src/containers/rds/model/value.js";
import { RdsDocument } from "../../../src/containers/rds/write/document.js";
import { encodeRds } from "../../../src/containers/rds/write/write.js";

const NONE = new Map<string, RValue>();

/** Numbers that hardly shrink, so that many parts go to the spill. */
const reals = Float64Array.from({ length: 3_000_000 }, (_, i) => Math.sin(i) * 2 ** (i % 50));
const integers = Int32Array.from({ length: 300_001 }, (_, i) => (i * 7919) % 1000);

async function written(level: number | null): Promise<{ readonly bytes: Uint8Array; readonly whole: RValue }> {
  const target = createBytesTarget();
  const encoder = createChunkEncoder();
  const document = new RdsDocument(target, { encoder, level, spill: createTemporarySpill() });
  const [x, i, none] = [document.section(8), document.section(4), document.section(4)];
  for (let at = 0; at < reals.length; at += 77_777) await x.add(reals.subarray(at, at + 77_777));
  for (let at = 0; at < integers.length; at += 1000) await i.add(integers.subarray(at, at + 1000));
  const list = (...values: RValue[]): RValue => ({ kind: "list", values, attributes: NONE });
  const vector = document.vector("integer", integers.length, [i]);
  await document.close(
    list(document.vector("real", reals.length, [x]), vector, document.vector("logical", 0, [none]), vector),
  );
  await document.release();
  encoder.close();
  const own = { kind: "integer", values: integers, attributes: NONE } as const;
  const empty = { kind: "logical", values: new Int32Array(), attributes: NONE } as const;
  await target.commit();
  return { bytes: target.bytes(), whole: list({ kind: "real", values: reals, attributes: NONE }, own, empty, own) };
}

describe("a document of spooled vectors has the bytes of the whole value", () => {
  test.each([null, 1, 6])("level %s", async (level) => {
    const { bytes, whole } = await written(level);
    const expected = Buffer.from(await encodeRds(whole, { compression: "none" }));
    // One member: other readers of gzip stop at its end.
    const found = level === null ? Buffer.from(bytes) : gunzipSync(bytes);
    expect(Buffer.compare(found, expected)).toBe(0);
  });
});

test("checksums of joined bytes", () => {
  const bytes = Uint8Array.from({ length: 10_000 }, (_, i) => (i * 31) % 251);
  for (const cut of [0, 1, 2, 255, 4096, 9999, 10_000]) {
    const [first, second] = [bytes.subarray(0, cut), bytes.subarray(cut)];
    expect(combineCrc32(computeCrc32(first), computeCrc32(second), second.length)).toBe(computeCrc32(bytes));
  }
});
