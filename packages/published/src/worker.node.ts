/** The worker thread of Node, with the schemes that it reads from. It writes nothing at addresses. */

import { registerCloud } from "@annarrow/cloud";
import { serveTasksInNode } from "annarrow/node/jobs";

registerCloud();
serveTasksInNode();
