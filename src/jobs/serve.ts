/** A worker's side: opens the arrays of tasks, runs their jobs one after another, sends back what they give. */

import { type ArrayPlan, openArrayPlan } from "../containers/array-plan.js";
import type { StoredArray } from "../containers/container.js";
import type { Source } from "../sources/source.js";
import { openSourcePlan, type SourcePlan } from "../sources/source-plan.js";
import { arraysOf, mapArrays } from "./map-arrays.js";
import type { Reply, Request } from "./messages.js";
import { toPlainError } from "./plain-error.js";
import { TaskRunner } from "./runner.js";
import type { Task } from "./task.js";
import { ship } from "./transfer.js";

/** Sends a reply; the memory in `transfer` moves. */
export type Send = (reply: Reply, transfer: ArrayBuffer[]) => void;

interface OpenTask {
  readonly runner: TaskRunner;
  close(): Promise<void>;
}

/** What is to be called with each request, in order. */
export function server(send: Send): (request: Request) => void {
  const tasks = new Map<number, Promise<OpenTask>>();
  let last = Promise.resolve();
  send({ kind: "ready" }, []);
  return (request) => {
    switch (request.kind) {
      case "task": {
        const task = openTask(request.plan);
        // Its first job says what is wrong.
        task.catch(() => undefined);
        tasks.set(request.task, task);
        return;
      }
      case "job":
        last = last.then(() => runJob(tasks.get(request.task), request.job, request.rows, send));
        return;
      case "forget": {
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

async function runJob(
  task: Promise<OpenTask> | undefined,
  job: number,
  rows: readonly [number, number],
  send: Send,
): Promise<void> {
  if (task === undefined) return;
  try {
    const { runner } = await task;
    const { part, transfer } = ship(await runner.run(rows));
    send({ kind: "part", job, part }, transfer);
  } catch (error) {
    send({ kind: "failed", job, error: toPlainError(error) }, []);
  }
}

async function openTask(plan: Task<ArrayPlan>): Promise<OpenTask> {
  // Arrays of one file share its plan, also after it was copied into this thread.
  const sources = new Map<SourcePlan, Promise<Source>>();
  const sourceOf = (from: SourcePlan) => {
    const source = sources.get(from) ?? openSourcePlan(from);
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
    return { runner: new TaskRunner({ ...plan, rows }), close };
  } catch (error) {
    await close();
    throw error;
  }
}
