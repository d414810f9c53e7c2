#!/usr/bin/env node
/** Starts the command `annarrow`, with Node's compile cache if available (22.8 and later). */

import * as module from "node:module";

/** Declarations that the types of Node 20 lack. */
interface NodeModule {
  readonly builtinModules: readonly string[];
  readonly enableCompileCache?: () => unknown;
}

const { enableCompileCache }: NodeModule = module;
enableCompileCache?.();
await import("./command-line.js");
