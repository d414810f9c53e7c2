/** Registers what the entries of the package register, since tests import modules directly. */

import "../packages/published/src/register.node.js";
