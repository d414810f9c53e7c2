/** Registers what the published package has on every platform, for its entries. */

import { registerCloud } from "@annarrow/cloud";
import { registerR } from "@annarrow/r";

registerCloud();
registerR();
