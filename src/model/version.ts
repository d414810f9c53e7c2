/** Version of this library, which written files name. A test compares it with package.json. */

export const VERSION = "0.1.0";
