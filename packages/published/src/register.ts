/** Registers everything that the published package offers on all platforms, for its entries. */

import { registerCloud } from "@annarrow/cloud";
import { registerR } from "@annarrow/r";

registerCloud();
registerR();

/** Brings the types of R's formats to whoever imports the declarations of this file. */
export type { registerR };
