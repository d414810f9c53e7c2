/**
 * The version of this package. It is also stored in the files that the package writes. A test compares it with
 * package.json.
 */
export const VERSION = "0.1.0";
