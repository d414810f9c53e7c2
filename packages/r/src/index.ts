/** What this package offers other packages: `@annarrow/r`. */

export { registerR } from "./register.js";
