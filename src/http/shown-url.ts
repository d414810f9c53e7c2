/** Addresses as messages show them. Apart from http-exchange.ts, which a page that opens no file of the web does not load. */

/** The URL as errors and reports show it: without its query, which may be a signature, and so a secret. */
export function shownUrl(url: string | URL): string {
  return String(url).replace(/\?[^#]+/, "?…");
}
