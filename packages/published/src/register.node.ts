/** Registers all that the published package offers in Node, for its entries, command line, threads and processes. */

import "./register.js";
import { registerCloudOutputs } from "@annarrow/cloud/node";
import { registerFlight } from "@annarrow/flight/node";

registerCloudOutputs();
registerFlight();
