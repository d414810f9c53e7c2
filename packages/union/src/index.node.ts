/** What this package offers other packages, for Node alone: `@annarrow/union/node`. */

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
