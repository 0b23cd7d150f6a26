/** The references of a linked style sheet: relative to it, not to the page. */
import { hasOtherExtension, normalizeAddress } from './address.ts';
import { readCss } from './css.ts';
import type { DocumentReading } from './reading.ts';
import { References } from './references.ts';
import { SourceText } from './source-text.ts';

export function readStylesheet(source: string, url: string): DocumentReading {
  const references = new References(source);
  const stylesheets = new Set<string>();
  const text = SourceText.slice(source, 0, source.length);
  for (const found of readCss(source, 'sheet')) {
    if (found.kind === 'import') {
      const address = normalizeAddress(found.address, url);
      if (address !== undefined) stylesheets.add(address);
    } else {
      references.add(
        { text, range: found, address: found.address, base: url, accepts: (address) => !hasOtherExtension(address) },
        {
          role: found.kind === 'image_set' ? 'css_image_set' : 'css_background',
          descriptor: found.descriptor,
          type: found.type,
          media: found.media,
        },
      );
    }
  }
  return {
    references: references.list,
    inlineImages: references.inlineImages,
    truncated: references.full,
    stylesheets: [...stylesheets],
    page: null,
  };
}
