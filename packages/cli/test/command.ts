import { execFile } from "node:child_process";

const MAIN = "dist/cli/main.js";

export interface CommandRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `annarrow` with these arguments, as it is built. */
export function annarrow(...args: string[]): Promise<CommandRun> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [MAIN, ...args], { maxBuffer: 2 ** 26 }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    );
  });
}
