/** What files that are written say about who wrote them. A test compares it with package.json. */

export const VERSION = "0.1.0";
