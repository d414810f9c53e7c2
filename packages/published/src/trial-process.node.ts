/** The process in which a server tries files, with all packages registered. */

import "./register.node.js";
import { startProbeProcess } from "@annarrow/flight/node";

startProbeProcess();
