/** Code shared by the writers of all elements: the context with the file's groups, and notes on changed types. */

import type { WriterContext } from "../context.js";
import type { LoomGroups } from "./groups.js";
import type { WrittenLoomVersion } from "./stored-types.js";

export interface LoomWriterContext extends WriterContext {
  readonly version: WrittenLoomVersion;
  readonly groups: LoomGroups;
  readonly notes: TypeNotes;
}

const TEXTS = {
  booleans: "booleans are written as 0 and 1",
  categories: "categories are written as their values, without their order",
} as const;

export type NoteKind = keyof typeof TEXTS;

/** Maximum number of names in a warning; further names are only counted. */
const MAX_NAMES = 10;

/** Notes on columns whose type changes. Each kind of change causes a single warning for all columns in a table. */
export class TypeNotes {
  readonly #names = new Map<string, { readonly table: string; readonly kind: NoteKind; readonly names: string[] }>();

  add(kind: NoteKind, element: string): void {
    const cut = element.indexOf("/");
    const table = cut < 0 ? element : element.slice(0, cut);
    const key = `${kind} ${table}`;
    const own = this.#names.get(key) ?? { table, kind, names: [] };
    this.#names.set(key, own);
    own.names.push(element.slice(cut + 1));
  }

  warnings(): readonly string[] {
    return Array.from(this.#names.values(), ({ table, kind, names }) => {
      const rest = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : "";
      const shown = names.slice(0, MAX_NAMES).join(", ");
      return `${table}: ${TEXTS[kind]}${shown === table ? "" : `: ${shown}${rest}`}`;
    });
  }
}
