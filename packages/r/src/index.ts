/** Exports for other packages: `@annarrow/r`. */

export { registerR } from "./register.js";
