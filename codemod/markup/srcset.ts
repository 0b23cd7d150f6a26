/** Adds `srcset` and `sizes` to large images: smaller copies from the package, next to the file in `src`. */
import { posix } from 'node:path';
import type { Replacement } from '../../replacement-package/replacement.ts';
import type { Destinations } from '../plan/destinations.ts';
import { withCopy } from '../plan/scanned-pages.ts';
import type { ProjectRoot } from '../project/root.ts';
import { srcsetAddress } from '../readers/escapes.ts';
import type { ImageElement } from '../readers/image-element.ts';
import { parseAddress, replaceName } from '../references/address.ts';
import type { PixelSize } from '../references/images.ts';
import type { Reference } from '../references/reference.ts';
import { displayedSizeOf, hasStyledSize } from './dimensions.ts';
import type { Fix } from './fix.ts';
import { isLazyByScript } from './lazy.ts';

/** Files for React and similar libraries, which warn about the HTML spelling `srcset`. */
const JSX_FILE = /\.(?:[cm]?[jt]sx?|mdx)$/i;
const WIDTH_SUFFIX = /\.[0-9]{1,5}w$/;

export interface SrcsetPlace {
  root: ProjectRoot;
  element: ImageElement;
  /** The reference in the element's `src`. */
  reference: Reference;
  /** The package's replacement for the image. */
  replacement: Replacement | undefined;
  /** Attributes that the plan adds to the element in any case. */
  added: ReadonlyMap<string, string>;
  /** Whether a document of the project preloads the file. */
  isPreloaded: boolean;
  /** Returns the reason if style sheets may override the width attribute. */
  doubt: () => string | undefined;
}

/**
 * The file in `src` remains the largest candidate, and `sizes` is the width attribute. So no image is smaller than it
 * is displayed, and the layout does not depend on the file that a browser chooses. For lazy images with both attributes
 * `sizes` starts with `auto`: browsers that support it use the layout size (HTML standard, "sizes attribute"); others
 * ignore it.
 */
export async function fixSrcset(place: SrcsetPlace, destinations: Destinations): Promise<Fix> {
  const { root, element, reference, replacement, isPreloaded, doubt } = place;
  const { attributes, hasUnknownAttributes, hasPicture } = element;
  if (attributes.has('srcset')) return 'nothing_missing';
  if (hasUnknownAttributes) return { reason: 'unknown_attributes' };
  if (attributes.has('sizes')) return { reason: 'size_given' };
  if (hasPicture) return { reason: 'in_picture' };
  if (isLazyByScript(element)) return { reason: 'lazy_by_script' };
  if (isPreloaded) return { reason: 'preloaded' };
  if (hasStyledSize(element)) return { reason: 'styled' };
  const width = pixelsOf(place, 'width');
  if (width === undefined) return { reason: 'no_width' };
  const because = doubt();
  if (because !== undefined) return { reason: 'stylesheet', because };
  const { image, line, candidate, isLiteral, file } = reference;
  const address = parseAddress(candidate.address);
  const isWhole = attributes.get('src')?.trim() === candidate.address.trim();
  const size = image === undefined ? undefined : await displayedSizeOf(root, image);
  if (image === undefined || !size || !address || !isWhole) return { reason: 'size_unknown' };
  const copies = replacement ? smallerCopies(replacement, size.width, line.from_bytes) : [];
  if (copies.length === 0) return { reason: 'no_copies' };
  const isAuto = isLazy(place) && hasFileAspectRatio(place, width, size);
  const useful = isAuto ? copies : copies.filter((copy) => copy.to_width >= width);
  if (useful.length === 0 || width > size.width) return { reason: 'no_gain' };
  const targets: string[] = [];
  for (const copy of useful) targets.push(await destinations.of(copy, originalPathOf(image, replacement!)));
  const written = (path: string) => srcsetAddress(replaceName(address, posix.basename(path), isLiteral));
  const candidates = useful.map(({ to_width: each }, index) => `${written(targets[index]!)} ${each}w`);
  const own = srcsetAddress(candidate.address.trim());
  return {
    attributes: [
      [JSX_FILE.test(file) ? 'srcSet' : 'srcset', [...candidates, `${own} ${size.width}w`].join(', ')],
      ['sizes', isAuto ? `auto, ${width}px` : `${width}px`],
    ],
    targets,
  };
}

/** The value of a size attribute, present or planned, if it is a whole number. */
function pixelsOf({ element, added }: SrcsetPlace, name: 'width' | 'height'): number | undefined {
  const value = (added.get(name) ?? element.attributes.get(name))?.trim();
  return value !== undefined && /^[1-9][0-9]{0,4}$/.test(value) ? Number(value) : undefined;
}

const isLazy = ({ element, added }: SrcsetPlace): boolean =>
  /^\s*lazy\s*$/i.test(added.get('loading') ?? element.attributes.get('loading') ?? '');

/**
 * Whether the attributes have the file's aspect ratio. With `auto` only they determine the box, which must not change.
 */
function hasFileAspectRatio(place: SrcsetPlace, width: number, size: PixelSize): boolean {
  const height = pixelsOf(place, 'height');
  return height !== undefined && Math.abs((width * size.height) / size.width - height) < 0.5;
}

/** Files of a line that are narrower and smaller in bytes than a given file; one per width, narrowest first. */
function smallerCopies(line: Replacement, width: number, bytes: number): Replacement[] {
  const all = [
    line,
    ...[...line.srcset, ...(line.unresized ? [line.unresized] : [])].map((copy) => withCopy(line, copy)),
  ];
  const widths = new Map<number, Replacement>();
  for (const copy of all)
    if (copy.to_sha256 !== '' && copy.to_width < width && copy.to_bytes < bytes) widths.set(copy.to_width, copy);
  return [...widths.values()].sort((one, other) => one.to_width - other.to_width);
}

/** The original's path, for a file that may be one of its copies: `hero.jpg` for `hero.1600w.webp`. */
function originalPathOf(image: string, { from }: Replacement): string {
  const { dir, name, ext } = posix.parse(image);
  if (!WIDTH_SUFFIX.test(name)) return image;
  return posix.join(dir, name.replace(WIDTH_SUFFIX, '') + (posix.extname(new URL(from).pathname) || ext));
}
