/**
 * What packages add to the types of the library, for the compiler: `declare module "annarrow/extend" { … }`. Each of these
 * interfaces is empty until a package that is imported adds to it.
 * @module
 */

/**
 * The descriptions of formats of other packages, by any keys: `interface OtherFormats { study: typeof study }`. Their
 * names, stores and options then belong to the types of all functions.
 */
export interface OtherFormats {}

/** The kinds of the containers of other packages: `interface OtherContainers { study: true }`. */
export interface OtherContainers {}

/**
 * Options of schemes whose addresses are files and folders, by their keys among the options of `open` and `convert`:
 * `interface FileSchemeOptions { readonly cloud?: CloudOptions }`. All functions that read or write at an address have
 * them.
 */
export interface FileSchemeOptions {}

/** Options of schemes whose addresses are datasets of a service, by their keys. `open` and what opens datasets have them. */
export interface ServiceSchemeOptions {}
