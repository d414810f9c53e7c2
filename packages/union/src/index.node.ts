/** Exports of this package for other packages, only for Node: `@annarrow/union/node`. */

export {
  cleanUnion,
  commitUnion,
  planUnion,
  removeFromUnion,
  runUnionTask,
  type UnionResult,
  union,
  unionViews,
} from "./union.node.js";
