/** The arguments and options of `annarrow doctor`. */

import type { Command } from "commander";
import { addExamples } from "../options/examples.js";

const EXAMPLES = `\
  annarrow doctor
  annarrow doctor --json`;

export function defineDoctor(command: Command): void {
  command.option("--json", "for programs").action(async ({ json = false }: { json?: boolean }) => {
    const { doctor } = await import("../actions/doctor.js");
    await doctor(json);
  });
  addExamples(command, EXAMPLES);
}
