/**
 * Node's own arguments for a thread. They are in a separate file, because servers share this code with
 * `platform.node.ts` but are built into another folder, whereas `platform.node.ts` expects the built `worker.node.ts`
 * next to itself.
 */

/**
 * Returns the arguments of the process without `--input-type`, which specifies the type of `--eval` and standard input.
 * A thread that starts from a file rejects this argument.
 */
export function getThreadArguments(all: readonly string[] = process.execArgv): string[] {
  return all.filter((one, i) => !one.startsWith("--input-type") && all[i - 1] !== "--input-type");
}
