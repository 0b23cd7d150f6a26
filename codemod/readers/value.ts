/** Reads texts that are recognized as images by their form: strings of programs, values of data files. */
import { parseSrcset } from '../../web-documents/srcset.ts';
import { readCssText } from './css.ts';
import { type EmbeddedSource, type Encode, UNKNOWN } from './embedded-source.ts';
import { srcsetAddress } from './escapes.ts';
import { encodeImageName, namesImage } from './image-name.ts';
import type { Place, ReferenceCollector } from './reference-collector.ts';

export type ValuePlace = Pick<Place, 'kind' | 'reason' | 'image'>;

const DESCRIPTOR = /[\s\ufdd0](?:\d+(?:\.\d+)?|\ufdd0)[wx]\s*(?:,|$)/;
const TAG = /<(?:img|source|picture|video|image|link|meta|a|div|p|figure|section|svg|amp-img)[\s>]/i;

/** Reads a text as an address, a srcset, a style or markup, depending on its form. */
export function readValue(sink: ReferenceCollector, layer: EmbeddedSource, place: ValuePlace): void {
  const { text } = layer;
  if (TAG.test(text)) sink.markup(layer);
  else if (/(?:url|image-set)\(/i.test(text)) readCssText(sink, layer, { ...place, text: 'value' });
  else if (DESCRIPTOR.test(text)) readSrcset(sink, layer, place, true);
  else if (namesImage(text)) sink.add(layer, { ...place, encode: encodeImageName });
}

/** @param named whether to accept only addresses with an image name */
export function readSrcset(sink: ReferenceCollector, layer: EmbeddedSource, place: ValuePlace, named = false): void {
  // Treat a width from an expression as a width.
  const text = layer.text.replace(/(?<=\s)\ufdd0+(?=[wx])/g, (unknown) => '1'.repeat(unknown.length));
  const encode: Encode = named ? (written) => srcsetAddress(encodeImageName(written)) : srcsetAddress;
  for (const candidate of parseSrcset(text)) {
    const address = text.slice(candidate.start, candidate.end);
    if (!named || namesImage(address) || address.includes(UNKNOWN)) sink.add(layer, { ...place, encode }, candidate);
  }
}
