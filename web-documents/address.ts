/** Makes the addresses of documents absolute and comparable. Main-thread safe. */
import { extensionOf } from '../codecs/file-extension.ts';
import { FORMATS, WEB_FORMATS } from '../codecs/formats/registry.ts';

/** In characters. No server accepts longer ones. */
export const MAX_ADDRESS_LENGTH = 8192;

/**
 * Normalises an address by the URL standard: removes white space at the ends and line breaks within, resolves dot
 * segments, lowers the host, removes the default port. Also removes the fragment.
 * @returns undefined if it is no http or https address, or is longer than 8,192 characters
 */
export function normalizeAddress(address: string, base?: string): string | undefined {
  if (!URL.canParse(address, base)) return undefined;
  const url = new URL(address, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined;
  // Setting `hash` serialises the address again, so skip it if possible.
  if (url.href.includes('#')) url.hash = '';
  return url.href.length <= MAX_ADDRESS_LENGTH ? url.href : undefined;
}

/** Query parameters that only say where a visitor came from (docs/spec/shapes.md, section 16.1, step 5). */
const TRACKING = /^(?:utm_.*|gclid|fbclid|mc_eid)$/i;

/** As {@link normalizeAddress}, for pages: also removes the parameters that only track visitors. */
export function pageAddress(address: string, base?: string): string | undefined {
  const normal = normalizeAddress(address, base);
  const query = normal?.indexOf('?') ?? -1;
  if (normal === undefined || query === -1) return normal;
  // The other parameters keep their spelling; URLSearchParams would change it.
  const pairs = normal.slice(query + 1).split('&');
  const kept = pairs.filter((pair) => !TRACKING.test(pair.split('=', 1)[0]!));
  if (kept.length === pairs.length) return normal;
  return kept.length > 0 ? `${normal.slice(0, query)}?${kept.join('&')}` : normal.slice(0, query);
}

/** Extensions of image files, in lower case. */
export const IMAGE_EXTENSIONS: ReadonlySet<string> = new Set<string>(
  WEB_FORMATS.flatMap((id) => FORMATS[id].extensions),
);

/** Whether the path of an absolute address has the extension of an image file. */
export const hasImageExtension = (address: string): boolean => IMAGE_EXTENSIONS.has(extensionOf(pathOf(address)));

/** Extensions of other files that a custom property of a style sheet may name. */
const NON_IMAGE_EXTENSIONS = new Set([
  'css',
  'js',
  'mjs',
  'json',
  'woff',
  'woff2',
  'ttf',
  'otf',
  'eot',
  'mp4',
  'webm',
  'mp3',
]);

/** Whether the path has the extension of another kind of file: a font, a style sheet, a video. */
export const hasNonImageExtension = (address: string): boolean =>
  NON_IMAGE_EXTENSIONS.has(extensionOf(pathOf(address)));

const pathOf = (address: string): string => address.split(/[?#]/, 1)[0]!;
