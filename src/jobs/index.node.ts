/** What `jobs/` offers packages, for Node alone: `annarrow/node/jobs`. */

export { serveTasksInNode } from "./workers/worker.node.js";
