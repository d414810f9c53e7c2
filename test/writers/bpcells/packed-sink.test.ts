import { expect, test } from "vitest";
import type { ArrayDescription, GroupWriter } from "../../../src/containers/tree/container-writer.js";
import { createBp128Pages } from "../../../src/kernels/bp128/pages.js";
import { PackedSink } from "../../../src/writers/bpcells/packed-sink.js";
import { packedByBpcells } from "../../kernels/bp128/packed-by-bpcells.js";

/** A group that keeps numbers, copied as they come. */
function group() {
  const found: Record<string, (number | bigint)[]> = {};
  const writer: GroupWriter = {
    path: "rna",
    attribute: () => undefined,
    group: () => Promise.reject(new Error("none")),
    async array(name: string, { shape }: ArrayDescription) {
      expect(shape).toEqual([null]);
      found[name] = [];
      return {
        path: name,
        async write(values, rows) {
          if (values.kind !== "fixed") throw new TypeError("numbers are expected");
          expect(values.values.length).toBe(rows);
          found[name].push(...values.values);
        },
        close: async () => undefined,
      };
    },
  };
  return { writer, found };
}

test.each(packedByBpcells().map((one) => [one.name, one] as const))("%s", async (_, { kind, values, parts }) => {
  const [page] = await createBp128Pages(1);
  for (const [step, inRoom] of [
    [values.length + 1, false],
    [101, false],
    [300, true],
  ] as const) {
    const { writer, found } = group();
    const sink = await PackedSink.open(writer, "index", kind, page);
    for (let at = 0; at < values.length; ) {
      const part = values.slice(at, at + step);
      if (inRoom) {
        const room = sink.room();
        const count = Math.min(room.length, part.length);
        room.set(part.subarray(0, count));
        await sink.filled(count);
        at += count;
      } else {
        await sink.write(part);
        at += part.length;
      }
    }
    await sink.close();
    expect(found).toEqual({
      index_data: Array.from(parts.data),
      index_idx: Array.from(parts.idx),
      index_idx_offsets: Array.from(parts.offsets),
      ...(parts.starts === null ? {} : { index_starts: Array.from(parts.starts) }),
    });
  }
});
