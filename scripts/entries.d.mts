/** The source file of an entry of the core or of a package, relative to the project; null for another package's name. */
export function findEntry(name: string): string | null;
/** The absolute path of the file that declares a name of an entry, and the name there; null where it is not exported. */
export function findExport(entry: string, name: string): { readonly file: string; readonly name: string } | null;
