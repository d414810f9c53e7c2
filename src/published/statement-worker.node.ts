/** The thread of statements of a server, with all packages registered. */

import "./register-r.js";
import { startStatementThread } from "../serve/statements/statement-worker.node.js";

startStatementThread();
