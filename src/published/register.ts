/** Registers what the published package has on every platform, for its entries. */

import { registerCloud } from "../cloud/register.js";
import { registerR } from "../r/register.js";

registerCloud();
registerR();
