#!/usr/bin/env node
/** Starts the command `annarrow`, with what Node compiled the last time where it keeps that (22.8 and later). */

import * as module from "node:module";

/** What the types of Node 20 do not know. */
interface NodeModule {
  readonly builtinModules: readonly string[];
  readonly enableCompileCache?: () => unknown;
}

const { enableCompileCache }: NodeModule = module;
enableCompileCache?.();
await import("./command-line.js");
