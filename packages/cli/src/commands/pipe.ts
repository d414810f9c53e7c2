/** The arguments and options of `annarrow pipe`. */

import type { Command } from "commander";
import type { CliContext } from "../context/context.js";

export function definePipe(command: Command, context: CliContext): void {
  command.action(async () => {
    const { pipe } = await import("../actions/pipe.js");
    await pipe(context);
  });
}
