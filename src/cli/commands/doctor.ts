/** `annarrow doctor` reports the capabilities of this machine, for troubleshooting and bug reports. */

import type { Command } from "commander";
import { addExamples } from "../options/examples.js";
import { examineMachine, formatDoctorReport } from "./doctor-report.js";

const EXAMPLES = `\
  annarrow doctor
  annarrow doctor --json`;

export function defineDoctor(command: Command): void {
  command.option("--json", "for programs").action(({ json = false }: { json?: boolean }) => doctor(json));
  addExamples(command, EXAMPLES);
}

function doctor(asJson: boolean): void {
  const report = examineMachine();
  process.stdout.write(asJson ? `${JSON.stringify(report, null, 2)}\n` : formatDoctorReport(report));
}
