/** Exports of this package for other packages: `@annarrow/union`. */

export { type MatrixOrder, type PlannedInput, parsePlan, type TaskRange, type UnionPlan } from "./plan-document.js";
export type { TaskReport, UnionPart } from "./report-document.js";
export type { CommitOptions, UnionElements, UnionOptions, UnionProgress } from "./union-options.js";
export type { ViewEngine } from "./views.js";
