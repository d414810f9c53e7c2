/**
 * For esbuild, where sources are bundled for pages: libdeflate asks for these, but only in Node, and dist/ has it in a form
 * that does not name them.
 */
export const NODE_OF_LIBDEFLATE = ["path", "fs"];
