import { examineMachine, formatDoctorReport } from "./doctor-report.js";

export function doctor(asJson: boolean): void {
  const report = examineMachine();
  process.stdout.write(asJson ? `${JSON.stringify(report, null, 2)}\n` : formatDoctorReport(report));
}
