/** Registers what the published package has in Node, for its entries, the command line, threads and processes. */

import "./register.js";
import { registerCloudOutputs } from "@annarrow/cloud/node";
import { registerFlight } from "@annarrow/flight/node";

registerCloudOutputs();
registerFlight();
