/** The worker thread of Node, with the schemes that it reads from. It writes nothing at addresses. */

import { registerCloud } from "../cloud/register.js";
import { serveTasksInNode } from "../jobs/workers/worker.node.js";

registerCloud();
serveTasksInNode();
