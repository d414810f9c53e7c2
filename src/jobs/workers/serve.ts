/**
 * Serves requests in a worker: opens the arrays of tasks, runs their jobs one after another, and sends back the
 * results.
 */

import { openArrayPlan } from "../../containers/open/array-plan.js";
import type { ArrayPlan, StoredArray } from "../../containers/tree/container.js";
import type { Source, SourcePlan } from "../../io/sources/source.js";
import { type OpenLocal, type OpenWeb, openSourcePlan } from "../../io/sources/source-plan.js";
import { encodeChunk } from "../../kernels/codecs/encode-chunk.js";
import { JobMemory } from "../memory/buffer-pool.js";
import { listPlanArrays, mapArrays } from "../plan/plan.js";
import type { JobRows, Task } from "../rows/task.js";
import { TaskRunner } from "../run/runner.js";
import { type EncodedChunk, type Reply, toSerializableError, type WorkerRequest } from "./messages.js";
import { createPackedRowsEncoder } from "./packed-rows.js";
import { toTransferableResult } from "./transfer.js";

/** Sends a reply and transfers the memory in `transfer`. */
export type Send = (reply: Reply, transfer: ArrayBuffer[]) => void;

interface OpenTask {
  /** One runner for each lane that runs jobs of the task. */
  readonly runners: readonly TaskRunner[];
  close(): Promise<void>;
}

/** A queue of requests that are served sequentially. */
interface Lane {
  last: Promise<void>;
  waiting: number;
  /** Memory of the jobs of all tasks. */
  readonly memory: JobMemory;
}

/** Milliseconds without a task after which memory is released. The next input usually starts sooner. */
const MEMORY_LASTS = 1000;

/** Number of lanes for tasks that read from the web: one job computes while another waits for its bytes. */
const WEB_LANES = 2;

/**
 * Creates the function that handles the requests, in order.
 * @param openLocal opens files and directories; null if there is no file system.
 */
export function createRequestHandler(send: Send, openLocal: OpenLocal | null): (request: WorkerRequest) => void {
  const tasks = new Map<number, { readonly opened: Promise<OpenTask>; readonly lanes: number }>();
  const encoders = new Map<number, ReturnType<typeof createPackedRowsEncoder>>();
  const lanes: readonly Lane[] = Array.from({ length: WEB_LANES }, () => ({
    ...{ last: Promise.resolve(), waiting: 0, memory: new JobMemory() },
  }));
  const reply = async (job: number, run: () => Promise<Answer>) => {
    try {
      const { reply: found, transfer } = await run();
      send(found, transfer);
    } catch (error) {
      send({ kind: "failed", job, error: toSerializableError(error) }, []);
    }
  };
  /** Serves a job in the lane with the fewest waiting jobs, among the first `count` lanes. */
  const queue = (job: number, count: number, run: (lane: number) => Promise<Answer>) => {
    const waiting = lanes.slice(0, count).map((lane) => lane.waiting);
    const chosen = waiting.indexOf(Math.min(...waiting));
    const lane = lanes[chosen];
    lane.waiting++;
    lane.last = lane.last.then(() => reply(job, () => run(chosen))).finally(() => lane.waiting--);
  };
  let dropping: ReturnType<typeof setTimeout> | undefined;
  const dropMemory = () => {
    if (tasks.size === 0) for (const { memory } of lanes) memory.drop();
  };
  send({ kind: "ready" }, []);
  return (request) => {
    switch (request.kind) {
      case "task": {
        const count = readsFromWeb(request.plan) ? WEB_LANES : 1;
        const memory = lanes.slice(0, count).map((lane) => lane.memory);
        const opened = openTask(request.plan, openLocal, memory);
        // The first job reports the error.
        opened.catch(() => undefined);
        tasks.set(request.task, { opened, lanes: count });
        return;
      }
      case "encoder": {
        const encoder = createPackedRowsEncoder(request.plan);
        encoder.catch(() => undefined);
        encoders.set(request.task, encoder);
        return;
      }
      case "job": {
        const { job, rows, memory } = request;
        const task = tasks.get(request.task);
        if (task === undefined) return;
        queue(job, task.lanes, async (lane) => {
          try {
            return await runJob(task.opened, lane, job, rows, memory);
          } catch (error) {
            // The job's reads may still be running.
            lanes[lane].memory.drop();
            throw error;
          }
        });
        return;
      }
      case "encode": {
        const encoder = encoders.get(request.task);
        if (encoder === undefined) return;
        queue(request.job, 1, () => encode(encoder, request));
        return;
      }
      case "encode-chunks": {
        queue(request.job, 1, () => encodeChunks(request));
        return;
      }
      case "forget": {
        encoders.delete(request.task);
        const task = tasks.get(request.task);
        tasks.delete(request.task);
        const idle = Promise.all(lanes.map(({ last }) => last));
        void idle.then(() => task?.opened.then((open) => open.close())).catch(() => undefined);
        clearTimeout(dropping);
        dropping = setTimeout(dropMemory, MEMORY_LASTS);
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
  lane: number,
  job: number,
  rows: JobRows,
  memory: readonly ArrayBuffer[],
): Promise<Answer> {
  const runner = (await task).runners[lane];
  runner.reusable?.giveBack(memory);
  const { result, transfer, returned } = toTransferableResult(await runner.run(rows), runner.reusable);
  runner.release(new Set(transfer));
  return { reply: { kind: "result", job, result, memory: returned }, transfer };
}

async function encode(
  encoder: ReturnType<typeof createPackedRowsEncoder>,
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
      encoded.push(toSerializableError(error));
    }
  }
  const memory = chunks.map(({ bytes }) => bytes.buffer).filter((buffer) => !results.has(buffer));
  return { reply: { kind: "encoded-chunks", job, chunks: encoded, memory }, transfer: [...results, ...memory] };
}

/** Loads the code for web requests on demand, since most tasks read local files. */
const openWeb: OpenWeb = async (plan) => (await import("../../io/schemes/open-web-plan.js")).openWebPlan(plan);

function readsFromWeb({ rows }: Task<ArrayPlan>): boolean {
  return listPlanArrays(rows).some(({ source }) => source.kind === "web");
}

/** @param memory one memory for each of the jobs that run at the same time. */
async function openTask(
  plan: Task<ArrayPlan>,
  openLocal: OpenLocal | null,
  memory: readonly JobMemory[],
): Promise<OpenTask> {
  // Arrays of one file share one plan object, even after the plan was copied into this thread.
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
    for (const array of listPlanArrays(plan.rows)) {
      if (!opened.has(array)) opened.set(array, await openArrayPlan(array, await sourceOf(array.source)));
    }
    const rows = mapArrays(plan.rows, (array) => {
      const found = opened.get(array);
      if (found === undefined) throw new TypeError("every array of the plan was opened");
      return found;
    });
    const runners = await Promise.all(memory.map((own) => TaskRunner.create({ ...plan, rows }, {}, own)));
    return { runners, close };
  } catch (error) {
    await close();
    throw error;
  }
}
