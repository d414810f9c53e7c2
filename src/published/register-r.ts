/** Registers R with the core. */

import { registerR } from "../r/register.js";

registerR();
