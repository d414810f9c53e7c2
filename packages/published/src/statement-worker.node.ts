/** The thread of statements of a server, with all packages registered. */

import "./register.node.js";
import { startStatementThread } from "@annarrow/flight/node";

startStatementThread();
