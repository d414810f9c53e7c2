/** `annarrow doctor` reports the capabilities of this machine, for troubleshooting and bug reports. */

import type { Command } from "commander";
import { addExamples } from "../options/examples.js";

const EXAMPLES = `\
  annarrow doctor
  annarrow doctor --json`;

export function addDoctor(program: Command): void {
  const command = program
    .command("doctor")
    .description("show what this machine offers: versions, threads, memory, optional parts")
    .option("--json", "for programs")
    .action(({ json = false }: { json?: boolean }) => doctor(json));
  addExamples(command, EXAMPLES);
}

async function doctor(asJson: boolean): Promise<void> {
  const { formatDoctorReport, examineMachine } = await import("./doctor-report.js");
  const report = examineMachine();
  process.stdout.write(asJson ? `${JSON.stringify(report, null, 2)}\n` : formatDoctorReport(report));
}
