/** The part of `platform/` that packages can use: `annarrow/core/platform`. */

export { platform } from "#platform";
