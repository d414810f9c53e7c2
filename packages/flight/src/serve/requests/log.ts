/** The log: one JSON object per line. */

export type LogLevel = "info" | "warn" | "error";
export type Log = (level: LogLevel, event: string, fields?: Readonly<Record<string, unknown>>) => void;

export function createJsonLog(write: (line: string) => void): Log {
  return (level, event, fields = {}) => {
    write(`${JSON.stringify({ time: new Date().toISOString(), level, event, ...fields })}\n`);
  };
}

export function getErrorFields(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { error: String(error) };
  return {
    error: error.message,
    stack: error.stack
      ?.split("\n")
      .slice(1, 6)
      .map((line) => line.trim()),
  };
}
