/** Makes the pages that VitePress makes a site of: node build.mjs. It needs dist/, as `npm run build` of the package makes it. */

import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeBenchmarks } from "./make/benchmarks.mjs";
import { makeCommands } from "./make/commands.mjs";
import { makePages } from "./make/pages.mjs";
import { makePlayground } from "./make/playground.mjs";
import { PAGES, SITE } from "./make/repository.mjs";

rmSync(PAGES, { recursive: true, force: true });
makePages();
makeBenchmarks();
const commands = makeCommands();
makePlayground();
execFileSync(process.execPath, [join(SITE, "node_modules/typedoc/bin/typedoc")], { cwd: SITE, stdio: "inherit" });
writeFileSync(join(PAGES, "commands.json"), JSON.stringify(commands));
