/** Registers what the published package has on every platform, for its entries. */

// For the types of its formats, too, which the declarations of this file otherwise lack.
import "@annarrow/r";
import { registerCloud } from "@annarrow/cloud";
import { registerR } from "@annarrow/r";

registerCloud();
registerR();
