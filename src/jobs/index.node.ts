/** The API of `jobs/` for packages, for Node only: `annarrow/node/jobs`. */

export { serveTasksInNode } from "./workers/worker.node.js";
