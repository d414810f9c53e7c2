/**
 * The differences between operating systems in file names, renames and signals. Callers pass the rules as values, so
 * that tests on one system can check the rules of another. The rules are in a separate file, because the command line
 * needs nothing else from the platform.
 */

import { type PlatformPath, posix, win32 } from "node:path";

export interface SystemRules {
  readonly path: PlatformPath;
  /** Normalizes a name, so that names that the file system considers equal give the same result. */
  fold(name: string): string;
  /**
   * Returns the reason why no file can have this name, as a predicate for an error message; null if the name is
   * allowed.
   */
  nameProblem(name: string): string | null;
  /**
   * Milliseconds to wait before each retry of a failed rename. Windows rejects a rename while any program has the file
   * open. For example, a virus scanner opens it briefly.
   */
  readonly waits: readonly number[];
  /** Whether an open file can be renamed but not replaced. */
  readonly keepsOpenFiles: boolean;
  /**
   * Signals that end a process, and the exit codes that a shell reports for them: Ctrl-C, `kill`, a closed terminal.
   */
  readonly signals: Readonly<Record<string, number>>;
}

/** Exit code of a command that was ended by Ctrl-C. */
export const EXIT_INTERRUPTED = 130;

/** Names of Windows devices. Any text may follow after a dot. */
const DEVICES = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?$/i;

/**
 * Characters that Windows forbids in names, besides control characters. A colon introduces the name of a file stream.
 */
const FORBIDDEN = '<>:"|?*';

const POSIX: SystemRules = {
  path: posix,
  fold: (name) => name,
  nameProblem: () => null,
  waits: [],
  keepsOpenFiles: false,
  signals: { SIGINT: EXIT_INTERRUPTED, SIGTERM: 143, SIGHUP: 129 },
};

const MACOS: SystemRules = {
  ...POSIX,
  // HFS+ lists names in a different normal form than the one they were created with; APFS folds ß to ss.
  fold: (name) => name.normalize("NFD").toUpperCase().toLowerCase().normalize("NFC"),
};

const WINDOWS: SystemRules = {
  path: win32,
  // NTFS compares character by character, ignoring normal forms.
  fold: (name) => [...name].map(upperCase).join(""),
  nameProblem(name) {
    const forbidden = [...name].find((character) => character < " " || FORBIDDEN.includes(character));
    if (forbidden !== undefined) return `has ${JSON.stringify(forbidden)}, which Windows allows in no name`;
    if (DEVICES.test(name)) return "is that of a device on Windows";
    return /[. ]$/.test(name) ? "ends in a dot or space, which Windows drops" : null;
  },
  waits: [10, 20, 50, 100, 200, 400, 800],
  keepsOpenFiles: true,
  // SIGBREAK is Ctrl-Break, and SIGHUP means that the console was closed. No other process can send SIGTERM.
  signals: { SIGINT: EXIT_INTERRUPTED, SIGBREAK: EXIT_INTERRUPTED, SIGHUP: 129 },
};

/** Returns the rules of the system that Node calls `platform`; by default, those of the current system. */
export function getSystemRules(platform: NodeJS.Platform = process.platform): SystemRules {
  switch (platform) {
    case "win32":
      return WINDOWS;
    case "darwin":
      return MACOS;
    default:
      return POSIX;
  }
}

function upperCase(character: string): string {
  const upper = character.toUpperCase();
  return upper.length === character.length ? upper : character;
}
