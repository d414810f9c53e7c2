/** The thread in which a server runs statements, with all packages registered. */

import "./register.node.js";
import { startStatementThread } from "@annarrow/flight/node";

startStatementThread();
