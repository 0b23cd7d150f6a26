/** Reads the references of a linked style sheet. They are relative to it, not to the page. */
import { hasNonImageExtension } from './address.ts';
import { AddressList } from './address-list.ts';
import { readCss } from './css.ts';
import type { DocumentReading, DocumentSizing } from './reading.ts';
import { References } from './references.ts';
import { Resolver } from './resolver.ts';
import { readSizingRules } from './sizing/rules.ts';
import { SourceText } from './source-text.ts';

export function readStylesheet(source: string, url: string): DocumentReading {
  const resolver = new Resolver();
  const references = new References(source, resolver);
  const stylesheets = new AddressList();
  const text = SourceText.slice(source, 0, source.length);
  for (const found of readCss(source, 'sheet')) {
    if (found.kind === 'import') stylesheets.add(resolver.address(found.address, url));
    else {
      references.add(
        { text, range: found, address: found.address, base: url, accepts: (address) => !hasNonImageExtension(address) },
        {
          role: found.kind === 'image_set' ? 'css_image_set' : 'css_background',
          descriptor: found.descriptor,
          type: found.type,
          media: found.media,
          needed: found.needed,
        },
      );
    }
  }
  const rules = readSizingRules(source);
  return {
    references: references.list,
    inlineImages: references.inlineImages,
    truncated: references.full || stylesheets.full,
    stylesheets: stylesheets.all,
    sizing: rules && !stylesheets.full ? JSON.stringify({ ...rules, page: null } satisfies DocumentSizing) : null,
    page: null,
  };
}
