/** Registers what the published package has in Node, for its entries, the command line, threads and processes. */

import "./register.js";
import { registerCloudOutputs } from "../cloud/register.node.js";
import { registerFlight } from "../flight/register.node.js";

registerCloudOutputs();
registerFlight();
