/** The formats and containers of other packages, for the compiler. */

/**
 * The descriptions of formats of other packages, by any keys: `interface OtherFormats { study: typeof study }`. Their
 * names, stores and options then belong to the types of all functions.
 */
export interface OtherFormats {}

/** The kinds of the containers of other packages: `interface OtherContainers { study: true }`. */
export interface OtherContainers {}
