/** The worker thread for Node, with the schemes that it reads from. It writes nothing to addresses of these schemes. */

import { registerCloud } from "@annarrow/cloud";
import { serveTasksInNode } from "annarrow/node/jobs";

registerCloud();
serveTasksInNode();
