/**
 * Node's own arguments for a thread. A file of its own: what servers share with `platform.node.ts` is built into another
 * folder, and `platform.node.ts` finds the built `worker.node.ts` beside itself.
 */

/**
 * The arguments of the process without `--input-type`, which says what `--eval` and standard input are: a thread that
 * starts from a file refuses it.
 */
export function threadArguments(all: readonly string[] = process.execArgv): string[] {
  return all.filter((one, i) => !one.startsWith("--input-type") && all[i - 1] !== "--input-type");
}
