/** What `platform/` offers packages, for Node alone: `annarrow/node/platform`. */

export { EXIT_INTERRUPTED, getSystemRules, type SystemRules } from "./system-rules.node.js";
export { getThreadArguments } from "./thread-arguments.node.js";
