/** The part of `platform/` that packages can use in Node only: `annarrow/node/platform`. */

export { EXIT_INTERRUPTED, getSystemRules, type SystemRules } from "./system-rules.node.js";
export { getThreadArguments } from "./thread-arguments.node.js";
