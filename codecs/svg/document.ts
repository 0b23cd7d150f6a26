/** The first element of an SVG document: reads its size and sets another one. */

import type { Box, Size } from '../../base/geometry.ts';
import { corruptImage } from '../errors.ts';
import { type Attribute, tokenize } from '../metadata/xml.ts';
import { expandEntities } from './entities.ts';
import { readMarkup } from './markup.ts';
import { SVG_NAME } from './name.ts';
import { localName, readProlog } from './prolog.ts';
import { bounded, DEFAULT_SIZE, parseViewBox, sizeOf } from './size.ts';

export interface SvgDocument {
  /** The name of the first element, with its prefix. */
  name: string;
  attributes: ReadonlyMap<string, string>;
  /** The text behind the name and the attributes. */
  rest: string;
  /** In pixels, with fractions; undefined when the content determines the size. */
  size?: Size | undefined;
}

export interface SizedDocument extends SvgDocument {
  size: Size;
}

/** Namespaces that drawings omit although they use them, because browsers know them inside HTML. */
const NAMESPACES = [
  ['xmlns', 'http://www.w3.org/2000/svg'],
  ['xmlns:xlink', 'http://www.w3.org/1999/xlink'],
] as const;

/** @throws Failure `corrupt_image`, `image_too_large` */
export function readSvg(bytes: Uint8Array): SvgDocument {
  const text = readMarkup(bytes);
  const { root, entities } = readProlog(text);
  if (root?.name !== 'svg') throw corruptImage(SVG_NAME, 'no svg element');
  const markup = expandEntities(text.slice(root.at), entities);
  const token = tokenize(markup).next().value;
  if (token?.kind !== 'open' || localName(token.name) !== 'svg') throw corruptImage(SVG_NAME, 'no svg element');
  const attributes = new Map<string, string>(NAMESPACES);
  for (const { name, value } of token.attributes as Attribute[]) attributes.set(name, value);
  const get = (name: string) => attributes.get(name);
  const size = sizeOf({ width: get('width'), height: get('height'), viewBox: get('viewBox'), style: get('style') });
  const rest = `${token.selfClosing ? '/' : ''}>${markup.slice(token.end)}`;
  return { name: token.name, attributes, rest, size };
}

/** Returns the markup without a prolog. */
export function toMarkup({ name, attributes, rest }: SvgDocument): string {
  const written = Array.from(attributes, ([attribute, value]) => ` ${attribute}="${value.replaceAll('"', '&quot;')}"`);
  return `<${name}${written.join('')}${rest}`;
}

/** Crops the document to the box that its content needs. */
export function fittedDocument(document: SvgDocument, box: Box | undefined): SizedDocument {
  if (!box) return { ...document, size: DEFAULT_SIZE };
  const size = bounded(box);
  const attributes = new Map(document.attributes).set('viewBox', `${box.x} ${box.y} ${size.width} ${size.height}`);
  return { ...document, attributes, size };
}

/**
 * Returns the markup of the drawing stretched to `pixels`, which differ from its size by the scale and by fractions of
 * a pixel.
 */
export function stretchedMarkup(document: SizedDocument, pixels: Size): string {
  const { size } = document;
  const attributes = new Map(document.attributes);
  attributes.set('width', String(pixels.width)).set('height', String(pixels.height));
  const box = parseViewBox(attributes.get('viewBox'));
  if (!box) attributes.set('viewBox', `0 0 ${size.width} ${size.height}`);
  // If only fractions of a pixel remain uncovered, they would appear as a seam along the edges.
  const fills = !box || Math.abs((size.width / box.width) * box.height - size.height) < 1;
  if (fills) attributes.set('preserveAspectRatio', 'none');
  return toMarkup({ ...document, attributes });
}
