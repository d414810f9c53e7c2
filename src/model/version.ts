/** The version of this package, also stored in files that it writes. A test compares it with package.json. */
export const VERSION = "0.1.0";
