/** Glyphs with colours of their own: drawings in the table "SVG " of the OpenType specification. */

/** Returns the drawing of a glyph as SVG markup, y downwards from the baseline; undefined if it has none. */
export type SvgGlyphs = (glyph: number, idPrefix: string) => string | undefined;

/**
 * Reads the table. A document holds one glyph or several that share shapes; those of flags fill 5 MB, so that only the
 * elements of one glyph are taken out of it.
 *
 * @param scale units of the result per unit of the font
 */
export function readSvgGlyphs(table: Buffer, scale: number): SvgGlyphs {
  const list = table.readUInt32BE(2);
  const documents = Array.from({ length: table.readUInt16BE(list) }, (_, index) => {
    const entry = list + 2 + index * 12;
    const start = list + table.readUInt32BE(entry + 4);
    return {
      first: table.readUInt16BE(entry),
      last: table.readUInt16BE(entry + 2),
      data: table.subarray(start, start + table.readUInt32BE(entry + 8)),
    };
  });
  return (glyph, idPrefix) => {
    const document = documents.find(({ first, last }) => glyph >= first && glyph <= last);
    if (!document) return undefined;
    const { root, shared } = takeElement(document.data.toString('latin1'), `glyph${glyph}`);
    // Several glyphs share one drawing in the end, so their names must differ.
    const markup = `<defs>${shared.join('')}</defs>${root}`.replace(/( id="| xlink:href="#|url\(#)/g, `$1${idPrefix}`);
    return `<g transform="scale(${scale})">${markup}</g>`;
  };
}

/** Finds an element by its id, and those that it refers to, directly or through others. */
function takeElement(document: string, id: string): { root: string; shared: string[] } {
  const root = elementOf(document, id);
  const found = new Map<string, string>();
  const waiting = [root];
  for (let markup = waiting.pop(); markup !== undefined; markup = waiting.pop()) {
    for (const [, reference] of markup.matchAll(/(?:xlink:href="#|url\(#)([^")]+)/g)) {
      if (found.has(reference!)) continue;
      found.set(reference!, elementOf(document, reference!));
      waiting.push(found.get(reference!)!);
    }
  }
  return { root, shared: [...found.values()] };
}

/** The markup of the element with this id. The documents are made by a program: no comments, no `>` in values. */
function elementOf(document: string, id: string): string {
  const start = document.lastIndexOf('<', document.indexOf(` id="${id}"`));
  const name = /^[a-zA-Z]+/.exec(document.slice(start + 1, start + 32))![0];
  const tags = new RegExp(`<(/?)${name}\\b[^>]*?(/?)>`, 'g');
  tags.lastIndex = start;
  let depth = 0;
  for (let tag = tags.exec(document); tag; tag = tags.exec(document)) {
    if (tag[2] === '') depth += tag[1] === '' ? 1 : -1;
    if (depth === 0) return document.slice(start, tags.lastIndex);
  }
  throw new Error(`the drawing of ${id} has no end`);
}
