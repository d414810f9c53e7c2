/**
 * Serves requests in a worker: opens the arrays of tasks, runs their jobs one after another, and sends back the
 * results.
 */

import { openArrayPlan } from "../../containers/open/array-plan.js";
import type { ArrayPlan, StoredArray } from "../../containers/tree/container.js";
import { encodeChunk } from "../../kernels/codecs/encode-chunk.js";
import type { Source, SourcePlan } from "../../sources/source.js";
import { type OpenLocal, type OpenWeb, openSourcePlan } from "../../sources/source-plan.js";
import { arraysOf, mapArrays } from "../plan/plan.js";
import type { JobRows, Task } from "../rows/task.js";
import { TaskRunner } from "../run/runner.js";
import { type EncodedChunk, type Reply, toPlainError, type WorkerRequest } from "./messages.js";
import { sliceEncoder } from "./packed-slices.js";
import { transferable } from "./transfer.js";

/** Sends a reply; the memory in `transfer` moves. */
export type Send = (reply: Reply, transfer: ArrayBuffer[]) => void;

interface OpenTask {
  readonly runner: TaskRunner;
  close(): Promise<void>;
}

/**
 * Makes the function that takes the requests, in order.
 * @param openLocal opens files and directories; null where there is no file system.
 */
export function server(send: Send, openLocal: OpenLocal | null): (request: WorkerRequest) => void {
  const tasks = new Map<number, Promise<OpenTask>>();
  const encoders = new Map<number, ReturnType<typeof sliceEncoder>>();
  let last = Promise.resolve();
  const reply = async (job: number, run: () => Promise<Answer>) => {
    try {
      const { reply: found, transfer } = await run();
      send(found, transfer);
    } catch (error) {
      send({ kind: "failed", job, error: toPlainError(error) }, []);
    }
  };
  send({ kind: "ready" }, []);
  return (request) => {
    switch (request.kind) {
      case "task": {
        const task = openTask(request.plan, openLocal);
        // The first job reports the error.
        task.catch(() => undefined);
        tasks.set(request.task, task);
        return;
      }
      case "encoder": {
        const encoder = sliceEncoder(request.plan);
        encoder.catch(() => undefined);
        encoders.set(request.task, encoder);
        return;
      }
      case "job": {
        const { job, rows, memory } = request;
        const task = tasks.get(request.task);
        if (task === undefined) return;
        last = last.then(() => reply(job, () => runJob(task, job, rows, memory)));
        return;
      }
      case "encode": {
        const encoder = encoders.get(request.task);
        if (encoder === undefined) return;
        last = last.then(() => reply(request.job, () => encode(encoder, request)));
        return;
      }
      case "encode-chunks": {
        last = last.then(() => reply(request.job, () => encodeChunks(request)));
        return;
      }
      case "forget": {
        encoders.delete(request.task);
        const task = tasks.get(request.task);
        tasks.delete(request.task);
        last = last.then(() => task?.then((open) => open.close())).catch(() => undefined);
        return;
      }
      default:
        request satisfies never;
    }
  };
}

interface Answer {
  readonly reply: Reply;
  readonly transfer: ArrayBuffer[];
}

async function runJob(
  task: Promise<OpenTask>,
  job: number,
  rows: JobRows,
  memory: readonly ArrayBuffer[],
): Promise<Answer> {
  const { runner } = await task;
  runner.reusable?.giveBack(memory);
  const { result, transfer, returned } = transferable(await runner.run(rows), runner.reusable);
  runner.release(new Set(transfer));
  return { reply: { kind: "result", job, result, memory: returned }, transfer };
}

async function encode(
  encoder: ReturnType<typeof sliceEncoder>,
  { job, slices, memory }: Extract<WorkerRequest, { kind: "encode" }>,
): Promise<Answer> {
  const group = await (await encoder)(slices);
  return { reply: { kind: "encoded", job, group, memory }, transfer: [group.bytes.buffer, memory] };
}

async function encodeChunks({ job, chunks }: Extract<WorkerRequest, { kind: "encode-chunks" }>): Promise<Answer> {
  const encoded: EncodedChunk[] = [];
  const results = new Set<ArrayBuffer>();
  for (const { bytes, encoding } of chunks) {
    try {
      const result = await encodeChunk(bytes, encoding);
      encoded.push(result);
      results.add(result.buffer);
    } catch (error) {
      encoded.push(toPlainError(error));
    }
  }
  const memory = chunks.map(({ bytes }) => bytes.buffer).filter((buffer) => !results.has(buffer));
  return { reply: { kind: "encoded-chunks", job, chunks: encoded, memory }, transfer: [...results, ...memory] };
}

/** Most tasks read local files, and need no code for requests. */
const openWeb: OpenWeb = async (plan) => (await import("../../sources/cloud/open-web-plan.js")).openWebPlan(plan);

async function openTask(plan: Task<ArrayPlan>, openLocal: OpenLocal | null): Promise<OpenTask> {
  // Arrays of one file share one plan object, also after the plan was copied into this thread.
  const sources = new Map<SourcePlan, Promise<Source>>();
  const sourceOf = (from: SourcePlan) => {
    const source = sources.get(from) ?? openSourcePlan(from, openLocal, openWeb);
    sources.set(from, source);
    return source;
  };
  const close = async () => {
    for (const source of await Promise.allSettled(sources.values())) {
      if (source.status === "fulfilled") await source.value.close();
    }
  };
  try {
    const opened = new Map<ArrayPlan, StoredArray>();
    for (const array of arraysOf(plan.rows)) {
      if (!opened.has(array)) opened.set(array, await openArrayPlan(array, await sourceOf(array.source)));
    }
    const rows = mapArrays(plan.rows, (array) => {
      const found = opened.get(array);
      if (found === undefined) throw new TypeError("every array of the plan was opened");
      return found;
    });
    return { runner: new TaskRunner({ ...plan, rows }, {}, true), close };
  } catch (error) {
    await close();
    throw error;
  }
}
