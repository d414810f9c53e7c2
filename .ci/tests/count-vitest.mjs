// Counts tests by vitest's JSON report: node count-vitest.mjs REPORT
//
// A file that fails outside its tests counts as one failure. Last line: "N passed, N failed".
import { readFileSync } from "node:fs";

const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const broken = testResults.filter(
  ({ status, assertionResults }) => status === "failed" && !assertionResults.some((one) => one.status === "failed"),
);
for (const { name, message } of broken) process.stdout.write(`${name} ${message}\n`);
process.stdout.write(`${numPassedTests} passed, ${numFailedTests + broken.length} failed\n`);
