/**
 * Addresses as messages show them. A page that opens no file of the web loads this file, but not http-exchange.ts.
 */

/** The URL as errors and reports show it: without its query, which may be a signature, and so a secret. */
export function shownUrl(url: string | URL): string {
  return String(url).replace(/\?[^#]+/, "?…");
}
