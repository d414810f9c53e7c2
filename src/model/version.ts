/** The version of this package, in files that it writes and for those who ask. A test compares it with package.json. */
export const VERSION = "0.1.0";
