/** Divides the inputs of a plan into tasks with about equal work. */

import type { PlannedInput, TaskRange } from "./plan-document.js";

/** Work for reading and writing one obs row, measured in matrix entries. */
const ROW_WORK = 50;

/** Maximum number of entries in a matrix file, which gives 256 MB in memory and a few row groups. */
const MAX_ENTRIES = 2 ** 25;

/** An input of the plan. `isDivisible` is true if some of its rows can be read without the rest. */
export interface CutInput extends Pick<PlannedInput, "rows" | "entries"> {
  readonly isDivisible: boolean;
}

/**
 * Divides all inputs into tasks, in order. A large input is divided into contiguous row ranges. A small input is not
 * divided.
 * @param tasks number of tasks. There are fewer tasks if there are fewer pieces.
 */
export function cutTasks(inputs: readonly CutInput[], tasks: number): TaskRange[][] {
  const works = inputs.map(workOf);
  const perTask = Math.max(1, works.reduce((sum, work) => sum + work, 0) / tasks);
  const pieces = inputs.flatMap((input, i) => [...piecesOf(input, i, works[i], Math.min(perTask, MAX_ENTRIES))]);
  const all: TaskRange[][] = [];
  let filled = 0;
  let end = 0;
  for (const { piece, work } of pieces) {
    // A piece belongs to the task that contains its midpoint.
    const task = Math.min(tasks - 1, Math.floor((filled + work / 2) / perTask));
    if (all.length === 0 || task >= end) {
      all.push([]);
      end = task + 1;
    }
    all[all.length - 1].push(piece);
    filled += work;
  }
  return all;
}

function workOf({ rows, entries }: CutInput): number {
  return ROW_WORK * rows + Object.values(entries).reduce<number>((sum, count) => sum + (count ?? 0), 0);
}

function* piecesOf({ rows, isDivisible }: CutInput, input: number, work: number, most: number) {
  const count = isDivisible ? Math.max(1, Math.min(rows, Math.ceil(work / most))) : 1;
  for (let i = 0; i < count; i++) {
    const range: TaskRange["rows"] = [Math.floor((i * rows) / count), Math.floor(((i + 1) * rows) / count)];
    yield { piece: { input, rows: range }, work: work / count };
  }
}
