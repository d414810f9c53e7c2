/** Messages made by a worker's runner: where they lie, and that nothing of earlier ones is in them. */

import { tableFromIPC } from "apache-arrow";
import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { IpcStream } from "../../../src/ipc/write/framing.js";
import { isEncodedBatch } from "../../../src/ipc/write/message.js";
import { JobMemory } from "../../../src/jobs/memory/buffer-pool.js";
import type { Task } from "../../../src/jobs/rows/task.js";
import { TaskRunner } from "../../../src/jobs/run/runner.js";
import { type NumberArray, viewAsBytes } from "../../../src/model/stored.js";
import { numbersArray } from "../../stored-array.js";
import { sparse, sparsePlan } from "../plans.js";

afterEach(() => vi.restoreAllMocks());

/** An array that decodes to memory that it is given. */
function decoding(values: NumberArray, path: string, chunk: number) {
  const bytes = viewAsBytes(values);
  const size = values.BYTES_PER_ELEMENT;
  const readInto = async (start: number, end: number, target: Uint8Array) =>
    target.set(bytes.subarray(start * size, end * size));
  return { ...numbersArray(values, { path, chunks: [chunk] }), readInto };
}

interface Matrix {
  readonly order: "row" | "column";
  readonly lengths: readonly number[];
  readonly chunks: readonly [data: number, indices: number];
  readonly wide: boolean;
  readonly double: boolean;
}

const MINORS = 50;

function taskOf({ order, lengths, chunks, wide, double }: Matrix, selected: readonly number[], batchBytes: number) {
  const pointers = [0];
  for (const length of lengths) pointers.push(pointers[pointers.length - 1] + length);
  const entries = pointers[lengths.length];
  const minors = Int32Array.from({ length: entries }, (_, i) => (7 * i) % MINORS);
  const numbers = Float32Array.from({ length: entries }, (_, i) => i + 0.5);
  const data = double ? Float64Array.from(numbers) : numbers;
  const indices = wide ? BigInt64Array.from(minors, BigInt) : minors;
  const shape = order === "row" ? ([lengths.length, MINORS] as const) : ([MINORS, lengths.length] as const);
  const plain = sparse(order, shape, { data, indices, indptr: Int32Array.from(pointers) });
  const matrix = {
    ...plain,
    data: decoding(data, "X/data", chunks[0]),
    indices: decoding(indices, "X/indices", chunks[1]),
  };
  const plan = sparsePlan(matrix);
  const request = { kind: "encoded", encoder: "arrows", options: {}, batchBytes, reuse: true } as const;
  const task: Task = { rows: plan.plan, fields: plan.fields, selected, text: "error", request };
  const majors = lengths.flatMap((length, i) => Array<number>(length).fill(i));
  const columns = order === "row" ? [majors, [...minors]] : [[...minors], majors];
  return { task, entries, right: [...columns, [...numbers]] };
}

const matrices: fc.Arbitrary<Matrix> = fc.record({
  order: fc.constantFrom("row", "column"),
  lengths: fc.array(fc.nat(40), { minLength: 1, maxLength: 60 }),
  chunks: fc.oneof(
    fc.tuple(fc.constantFrom(16, 50), fc.constantFrom(16, 50)),
    fc.constantFrom(16, 50).map((chunk): [number, number] => [chunk, chunk]),
  ),
  wide: fc.boolean(),
  double: fc.boolean(),
});

test("all values of all jobs, while the memory of messages goes away and comes back", async () => {
  const fields = fc.shuffledSubarray([0, 1, 2], { minLength: 1 });
  await fc.assert(
    fc.asyncProperty(
      matrices,
      fields,
      fc.integer({ min: 200, max: 3000 }),
      fc.nat(200),
      async (one, selected, most, step) => {
        const { task, entries, right } = taskOf(one, selected, most);
        const runner = await TaskRunner.create(task, {}, new JobMemory());
        const form = new IpcStream({ fields: selected.map((i) => task.fields[i]), metadata: new Map() });
        const sent: Uint8Array[] = form.start();
        const away: ArrayBuffer[] = [];
        for (let at = 0; at < entries; at += step + 20) {
          const part = await runner.run([at, Math.min(entries, at + step + 20)]);
          if (part.kind !== "encoded") throw new TypeError("messages were asked for");
          const messages = part.encoded.filter(isEncodedBatch);
          const moved = new Set(messages.map(({ bytes }) => bytes.buffer));
          // Each in memory of its own: they move away one by one.
          expect(moved.size).toBe(part.encoded.length);
          for (const message of messages) sent.push(form.batch(message).slice());
          runner.release(moved);
          for (const buffer of moved) {
            const came = structuredClone(buffer, { transfer: [buffer] });
            new Uint8Array(came).fill(0xee);
            away.push(came);
          }
          runner.reusable?.giveBack(away.splice(0, 2));
        }
        const found = tableFromIPC(new Uint8Array(Buffer.concat([...sent, ...form.end()])));
        expect(found.numRows).toBe(entries);
        for (const [i, field] of selected.entries()) expect([...(found.getChildAt(i) ?? [])]).toEqual(right[field]);
      },
    ),
  );
});

test("memory in which rows are decoded is used again by the next job", async () => {
  const taken = new Set<ArrayBufferLike>();
  const { take } = JobMemory.prototype;
  vi.spyOn(JobMemory.prototype, "take").mockImplementation(function (this: JobMemory, bytes) {
    const memory = take.call(this, bytes);
    taken.add(memory.buffer);
    return memory;
  });
  const lengths = Array<number>(60).fill(40);
  const { task } = taskOf({ order: "row", lengths, chunks: [50, 50], wide: true, double: false }, [0, 1, 2], 2 ** 20);
  const runner = await TaskRunner.create(task, {}, new JobMemory());
  const counts: number[] = [];
  for (let at = 0; at < 2400; at += 400) {
    const part = await runner.run([at, at + 400]);
    if (part.kind !== "encoded") throw new TypeError("messages were asked for");
    const moved = new Set(part.encoded.map(({ bytes }) => bytes.buffer));
    runner.release(moved);
    runner.reusable?.giveBack([...moved]);
    counts.push(taken.size);
  }
  expect(counts.at(-1)).toBe(counts[0]);
});
