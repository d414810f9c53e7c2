// Counts tests by vitest's JSON report: node count-vitest.mjs REPORT
//
// A file that fails outside its tests counts as one failure. The last lines are what failed, and "N passed, N failed".
import { readFileSync } from "node:fs";

const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const broken = testResults.filter(
  ({ status, assertionResults }) => status === "failed" && !assertionResults.some((one) => one.status === "failed"),
);
for (const { name, message } of broken) process.stdout.write(`FAILED: ${name} ${message}\n`);
for (const { name, assertionResults } of testResults) {
  for (const { status, fullName, failureMessages } of assertionResults) {
    if (status === "failed")
      process.stdout.write(`FAILED: ${name} > ${fullName}: ${failureMessages[0]?.slice(0, 1000)}\n`);
  }
}
process.stdout.write(`${numPassedTests} passed, ${numFailedTests + broken.length} failed\n`);
