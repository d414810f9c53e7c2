import { RefusedError } from "../../../model/errors.js";
import type { KeyValueTarget } from "../../../targets/target.js";

/** The names of documents, in either version. */
const DOCUMENTS: ReadonlySet<string> = new Set(["zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata"]);

/** The names of devices on Windows, with any text behind a dot. */
const DEVICES = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?$/i;
/** The characters that Windows allows in no file name, in addition to control characters. */
const FORBIDDEN = '<>:"|?*';

/** The target's rules for names. `caseSensitive` is false where names become names of folders that may ignore case. */
type NameRules = Pick<KeyValueTarget, "caseSensitive" | "allowsColon">;

/** The names of a group's children. */
export class NodeNames {
  readonly #path: string;
  readonly #target: NameRules;
  /** The names taken, by the form in which a file system compares them. */
  readonly #taken = new Map<string, string>();

  constructor(path: string, target: NameRules) {
    this.#path = path;
    this.#target = target;
  }

  /**
   * Takes a name.
   * @throws {InvalidInputError} for a name that a store cannot hold, or that equals or collides with an earlier name.
   */
  add(name: string): void {
    const { caseSensitive, allowsColon = false } = this.#target;
    const problem = storeProblem(name) ?? (caseSensitive ? undefined : folderProblem(name, allowsColon));
    if (problem !== undefined) throw this.#error(`the name ${JSON.stringify(name)} ${problem}`);
    const key = caseSensitive ? name : folded(name);
    const other = this.#taken.get(key);
    if (other === name) throw this.#error(`${JSON.stringify(name)} is there already`);
    if (other !== undefined) {
      throw this.#error(
        `the names ${JSON.stringify(other)} and ${JSON.stringify(name)} are one on file systems that ignore case; ${REMEDY}`,
      );
    }
    this.#taken.set(key, name);
  }

  #error(problem: string): RefusedError {
    return new RefusedError(problem, { element: this.#path });
  }
}

const REMEDY = "a zip store (.zarr.zip) holds them";

/** Returns the reason that excludes a name from every store. */
function storeProblem(name: string): string | undefined {
  if (name === "") return "is empty";
  if (/^\.+$/.test(name)) return "has nothing but dots";
  if (name.includes("/")) return 'has a "/", which separates names in Zarr';
  if (name.includes("\\")) return 'has a "\\", which zarr-python takes for "/"';
  if (name.includes("\0")) return "has a NUL";
  if (/\p{Surrogate}/u.test(name)) return "has half a character, which UTF-8 has no form for";
  if (DOCUMENTS.has(name)) return "is that of a Zarr document";
  return undefined;
}

/** Returns the further reason that excludes a name from folders, on one system or another. */
function folderProblem(name: string, allowsColon: boolean): string | undefined {
  const found = [...name].filter((character) => character < " " || FORBIDDEN.includes(character));
  const forbidden = found.find((character) => character !== ":" || !allowsColon);
  if (forbidden !== undefined) return `has ${JSON.stringify(forbidden)}, which Windows allows in no name; ${REMEDY}`;
  if (/[. ]$/.test(name)) return `ends in a dot or space, which Windows drops; ${REMEDY}`;
  if (DEVICES.test(name)) return `is that of a device on Windows; ${REMEDY}`;
  if (DOCUMENTS.has(folded(name))) return "is that of a Zarr document on file systems that ignore case";
  return undefined;
}

/** Returns a form that is equal for names that some file system confuses: APFS folds ß to ss, NTFS takes ſ for s. */
function folded(name: string): string {
  return name.normalize("NFD").toUpperCase().toLowerCase().normalize("NFC");
}
