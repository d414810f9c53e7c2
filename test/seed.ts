/** Properties draw the same values in every run; another `SEED` draws others. */

import fc from "fast-check";

fc.configureGlobal({ seed: Number(process.env.SEED ?? 1) });
