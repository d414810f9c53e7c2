/** The part of `selection/` that is exported to packages as `annarrow/core/selection`. */

export { selectElements } from "./chosen-elements.js";
export { selectTableRows } from "./part-of-columns.js";
