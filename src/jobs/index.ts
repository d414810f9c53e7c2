/** The API of `jobs/` for packages: `annarrow/core/jobs`. */

export { createSpill } from "./external-sort/create-spill.js";
export { DEFAULT_SORT_BYTES } from "./external-sort/sort-coordinates.js";
export { BufferPool } from "./memory/buffer-pool.js";
export { pickColumnPart } from "./plan/picked-column.js";
export {
  type ColumnPlan,
  createTablePlan,
  type FragmentsPlan,
  type MappingNode,
  type SparsePlan,
  type TablePlan,
} from "./plan/plan.js";
export { getColumnRowCount, getColumnType } from "./rows/columns.js";
export type { JobResult } from "./rows/task.js";
export { fromSerializableError, type SerializableError, toSerializableError } from "./workers/messages.js";
export { getWorkerPool } from "./workers/pool.js";
export { serveTasksInPage } from "./workers/worker.js";
