/** URLs as shown in messages. A page that opens no remote files loads this file, but not http-exchange.ts. */

/** Returns the URL without its query for errors and reports. The query may contain a secret signature. */
export function toDisplayUrl(url: string | URL): string {
  return String(url).replace(/\?[^#]+/, "?…");
}
