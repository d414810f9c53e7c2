/** The thread of statements of a server, with all packages registered. */

import "./register.node.js";
import { startStatementThread } from "../serve/statements/statement-worker.node.js";

startStatementThread();
