/** What `selection/` offers packages: `annarrow/core/selection`. */

export { selectElements } from "./chosen-elements.js";
export { selectTableRows } from "./part-of-columns.js";
