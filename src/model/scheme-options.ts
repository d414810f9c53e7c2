/** The options of the schemes of addresses, for the compiler. Packages that register schemes add theirs. */

/**
 * Options of schemes whose addresses are files and folders, by their keys among the options of `open` and `convert`:
 * `interface FileSchemeOptions { readonly cloud?: CloudOptions }`. All functions that read or write at an address have
 * them.
 */
export interface FileSchemeOptions {}

/** Options of schemes whose addresses are datasets of a service, by their keys. `open` and what opens datasets have them. */
export interface ServiceSchemeOptions {}
