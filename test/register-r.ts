/** Registers R for tests of modules, which import no entry. */

import "../src/published/register-r.js";
