/**
 * How systems differ in the names of files, in renames and in signals. Callers pass the rules as values, so that tests on one
 * system hold the code to the rules of another. The command line needs nothing else of the platform, so the rules have a file
 * of their own.
 */

import { type PlatformPath, posix, win32 } from "node:path";

/** The rules of one system. */
export interface SystemRules {
  readonly path: PlatformPath;
  /** A form of a name that is equal for names which the file system takes for one. */
  fold(name: string): string;
  /** Why no file can have this name, as a predicate for an error; null where a file can. */
  nameProblem(name: string): string | null;
  /**
   * Milliseconds to wait before each new try of a rename that was refused. Windows refuses it while any program has the
   * file open, such as a virus scanner for a moment.
   */
  readonly waits: readonly number[];
  /** Whether a file that is open can have another name, but no other file its name. */
  readonly keepsOpenFiles: boolean;
  /** Signals that end a process, with the exit codes of the shell: Ctrl-C, `kill`, a terminal that is closed. */
  readonly signals: Readonly<Record<string, number>>;
}

/** The exit code of a command that Ctrl-C ended. */
export const EXIT_INTERRUPTED = 130;

/** Names of devices on Windows, with any text behind a dot. */
const DEVICES = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?$/i;

/** Characters that Windows allows in no name, beside control characters; behind a colon is a stream of the file. */
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
  // HFS+ lists names in another normal form than they were given in; APFS folds ß to ss.
  fold: (name) => name.normalize("NFD").toUpperCase().toLowerCase().normalize("NFC"),
};

const WINDOWS: SystemRules = {
  path: win32,
  // NTFS compares character by character, without regard to normal forms.
  fold: (name) => [...name].map(upperCase).join(""),
  nameProblem(name) {
    const forbidden = [...name].find((character) => character < " " || FORBIDDEN.includes(character));
    if (forbidden !== undefined) return `has ${JSON.stringify(forbidden)}, which Windows allows in no name`;
    if (DEVICES.test(name)) return "is that of a device on Windows";
    return /[. ]$/.test(name) ? "ends in a dot or space, which Windows drops" : null;
  },
  waits: [10, 20, 50, 100, 200, 400, 800],
  keepsOpenFiles: true,
  // Ctrl-Break, and a console that is closed; no other process sends SIGTERM.
  signals: { SIGINT: EXIT_INTERRUPTED, SIGBREAK: EXIT_INTERRUPTED, SIGHUP: 129 },
};

/** The rules of the system that Node calls `platform`, by default this one's. */
export function systemRules(platform: NodeJS.Platform = process.platform): SystemRules {
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
