/** Registers what the entries of the package register, since tests import modules directly. */

import "../src/published/register.node.js";
