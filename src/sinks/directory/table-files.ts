/**
 * Makes file names for tables. A table's name is a path in its file and may contain any characters. The file name is
 * this path with percent-encoding for every character that a file system or a URL does not allow.
 */

import type { Target } from "../../io/targets/target.js";
import { InvalidInputError } from "../../model/errors.js";

/** Maximum bytes of a file or folder name on common file systems. */
const MAX_SEGMENT = 255;

/** Bytes reserved for `.parquet`, `.categories`, and the number that makes a name unique. */
const ROOM = 32;

/** Device names of Windows, with or without an extension. */
const RESERVED = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/i;

/**
 * Creates distinct file names. Names that differ only in case count as equal, because some file systems ignore case.
 */
export class FileNames {
  readonly #taken = new Set<string>();
  readonly #folders = new Map<string, string>();

  /** @param reserved names that no table may use, such as `manifest.json`. */
  constructor(reserved: readonly string[] = []) {
    for (const name of reserved) this.#taken.add(folded(name));
  }

  /** Returns the file name for the path `segments`, with a suffix such as `.parquet`. */
  file(segments: readonly string[], suffix: string): string {
    const last = segments.at(-1) ?? "";
    let folder = "";
    let real = "";
    for (const segment of segments.slice(0, -1)) {
      real += `${segment}/`;
      const known = this.#folders.get(real);
      folder = known ?? `${this.#free(folder + encodeSegment(segment), "")}/`;
      this.#folders.set(real, folder);
    }
    return this.#free(folder + encodeSegment(last), suffix);
  }

  #free(path: string, suffix: string): string {
    for (let n = 1; n < 1e6; n++) {
      const candidate = `${path}${n === 1 ? "" : `~${n}`}${suffix}`;
      const key = folded(candidate);
      if (this.#taken.has(key)) continue;
      this.#taken.add(key);
      return candidate;
    }
    throw new InvalidInputError(`too many tables with the file name "${path}"`);
  }
}

const folded = (path: string) => path.normalize("NFC").toLowerCase().normalize("NFC");

/**
 * Encodes one segment of a path. ASCII letters, digits and characters that URLs and file systems allow remain
 * unchanged. Everything else becomes percent-encoded UTF-8, including `%` itself, `.` and `..`, a dot at either end,
 * and the first letter of a reserved name.
 */
export function encodeSegment(segment: string): string {
  let out = "";
  for (const character of segment) {
    out += /[A-Za-z0-9_.\-+=,@()]/.test(character) ? character : percent(character);
  }
  if (out === "") return "%";
  if (out.startsWith(".") || RESERVED.test(out)) out = percent(out[0]) + out.slice(1);
  if (out.endsWith(".")) out = `${out.slice(0, -1)}%2E`;
  return shortened(out);
}

function percent(character: string): string {
  let out = "";
  for (const byte of new TextEncoder().encode(character)) out += `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  return out;
}

/** Truncates a long name and adds a hash of the whole name. The manifest contains the original name. */
function shortened(segment: string): string {
  const encoder = new TextEncoder();
  if (encoder.encode(segment).length <= MAX_SEGMENT - ROOM) return segment;
  let hash = 0x811c9dc5;
  for (const byte of encoder.encode(segment)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  let kept = "";
  let bytes = 0;
  for (const character of segment) {
    bytes += encoder.encode(character).length;
    if (bytes > MAX_SEGMENT - ROOM - 9) break;
    kept += character;
  }
  return `${kept.replace(/%.?$/, "")}~${hash.toString(16).padStart(8, "0")}`;
}

export type TablesFormat = "parquet" | "arrow" | "csv" | "tsv";

/** The result of writing a table. `categories` contains the category files by column path. */
export interface WrittenTable {
  readonly rows: number;
  readonly categories: Readonly<Record<string, string>>;
}

/** Output of a table: its file in `target`, and the names for further files. */
export interface TableOutput {
  readonly file: string;
  readonly names: FileNames;
  readonly target: Target;
}

/** A table whose encoding has begun; it must be written or closed. */
export interface Writing {
  write(output: TableOutput): Promise<WrittenTable>;
  close(): Promise<unknown>;
}
