/**
 * Node's own arguments for a thread: those of the process, but for `--input-type`. It says what `--eval` and standard
 * input are, and a thread that starts from a file refuses it.
 */
export function threadArguments(all: readonly string[] = process.execArgv): string[] {
  return all.filter((one, i) => !one.startsWith("--input-type") && all[i - 1] !== "--input-type");
}
