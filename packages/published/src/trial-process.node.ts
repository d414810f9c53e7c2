/** The process in which a server tries to open files, with all packages registered. */

import "./register.node.js";
import { startProbeProcess } from "@annarrow/flight/node";

startProbeProcess();
