/** The process that does the work for the page of `annarrow view`, with all packages registered. */

import "./register.node.js";
import { startWorkProcess } from "@annarrow/view/node";

startWorkProcess();
