/** What libhdf5 prints when a call fails, made into one reason. */

/**
 * The deepest line of an error stack, which says what happened; those above it only say "can't read".
 * @param printed the text that begins with "HDF5-DIAG".
 */
export function deepestReason(printed: string): string | null {
  let reason: string | null = null;
  for (const line of printed.split("\n")) {
    const match = /^\s*#\d+: .* in (\w+)\(\): (.*)$/.exec(line);
    if (match !== null) reason = `${match[2]} (${match[1]})`;
  }
  return reason;
}
