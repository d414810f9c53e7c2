/** Lines of the log: one JSON object each. */

export type LogLevel = "info" | "warn" | "error";
export type Log = (level: LogLevel, event: string, fields?: Readonly<Record<string, unknown>>) => void;

/** A log whose lines go to `write`. */
export function jsonLog(write: (line: string) => void): Log {
  return (level, event, fields = {}) => {
    write(`${JSON.stringify({ time: new Date().toISOString(), level, event, ...fields })}\n`);
  };
}

/** What an error says to those who run the server: all of it. */
export function errorFields(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { error: String(error) };
  return {
    error: error.message,
    stack: error.stack
      ?.split("\n")
      .slice(1, 6)
      .map((line) => line.trim()),
  };
}
