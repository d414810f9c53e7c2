/** Cuts the inputs of a plan into tasks of about equal work. */

import type { PlannedInput, TaskPiece } from "./plan-document.js";

/** Work of an observation, counted in entries of a matrix: its row in obs is read and written. */
const ROW_WORK = 50;

/** Entries of a file of a matrix: 256 MB in memory, and a few row groups. */
const MOST_ENTRIES = 2 ** 25;

/** An input, and whether some of its rows can be read without the others. */
export interface CutInput extends Pick<PlannedInput, "rows" | "entries"> {
  readonly isDivisible: boolean;
}

/**
 * The tasks of all inputs, in their order. Pieces of a large input are rows that follow on each other; a small one is one
 * piece.
 * @param tasks number of tasks; fewer where there are not as many pieces.
 */
export function cutTasks(inputs: readonly CutInput[], tasks: number): TaskPiece[][] {
  const works = inputs.map(workOf);
  const perTask = Math.max(1, works.reduce((sum, work) => sum + work, 0) / tasks);
  const pieces = inputs.flatMap((input, i) => [...piecesOf(input, i, works[i], Math.min(perTask, MOST_ENTRIES))]);
  const all: TaskPiece[][] = [];
  let filled = 0;
  let end = 0;
  for (const { piece, work } of pieces) {
    // A piece belongs to the task in which its middle lies.
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
    const range: TaskPiece["rows"] = [Math.floor((i * rows) / count), Math.floor(((i + 1) * rows) / count)];
    yield { piece: { input, rows: range }, work: work / count };
  }
}
