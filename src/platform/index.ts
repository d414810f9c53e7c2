/** What `platform/` offers packages: `annarrow/core/platform`. */

export { platform } from "#platform";
