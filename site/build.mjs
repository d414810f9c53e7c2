/** Makes the pages that VitePress makes a site of: node build.mjs. It needs dist/, as `npm run build` of the package makes it. */

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeApi } from "./make/api.mjs";
import { makeBenchmarks } from "./make/benchmarks.mjs";
import { makeCommands } from "./make/commands.mjs";
import { makePages } from "./make/pages.mjs";
import { makePlayground } from "./make/playground.mjs";
import { PAGES } from "./make/repository.mjs";

rmSync(PAGES, { recursive: true, force: true });
makePages();
makeBenchmarks();
const commands = makeCommands();
makePlayground();
makeApi();
writeFileSync(join(PAGES, "commands.json"), JSON.stringify(commands));
