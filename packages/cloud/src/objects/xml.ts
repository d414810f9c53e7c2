/** Reads XML responses of object stores, which consist of flat elements with text. */

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Returns the content of all elements with this name, in order. */
export function findXmlElements(xml: string, name: string): readonly string[] {
  const inside: string[] = [];
  const [open, close] = [new RegExp(`<${name}(?:\\s[^<>]*)?>`, "g"), `</${name}>`];
  for (let found = open.exec(xml); found !== null; found = open.exec(xml)) {
    const end = xml.indexOf(close, open.lastIndex);
    if (end < 0) break;
    inside.push(xml.slice(open.lastIndex, end));
    open.lastIndex = end;
  }
  return inside;
}

/** Returns the text of the first element with this name; null if there is none. */
export function findXmlText(xml: string, name: string): string | null {
  const [inside] = findXmlElements(xml, name);
  if (inside === undefined) return null;
  return inside.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));/gi,
    (all, hex?: string, decimal?: string, word = "") => {
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      if (Number.isNaN(code)) return ENTITIES[word] ?? all;
      return code <= 0x10ffff ? String.fromCodePoint(code) : all;
    },
  );
}

export function escapeXml(text: string): string {
  return text.replace(/[&<>]/g, (character) => (character === "&" ? "&amp;" : character === "<" ? "&lt;" : "&gt;"));
}
