/** Addresses as documents name them, made absolute and comparable. Main-thread safe. */
import { extensionOf } from '../../codecs/file-extension.ts';
import { FORMATS, type FormatId } from '../../codecs/formats.ts';

/** In characters; longer ones no server takes. */
export const LONGEST_ADDRESS = 8192;

/**
 * By the URL standard: white space at the ends and line breaks within are dropped, dot segments resolved, the host in lower
 * case, the default port away; here without its fragment.
 * @returns undefined for what is no address of http or https, or is longer than 8,192 characters
 */
export function normalizeAddress(address: string, base?: string): string | undefined {
  if (!URL.canParse(address, base)) return undefined;
  const url = new URL(address, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined;
  // Setting it serialises the address once more.
  if (url.href.includes('#')) url.hash = '';
  return url.href.length <= LONGEST_ADDRESS ? url.href : undefined;
}

/** Query parameters that say where a visitor came from (spec/shapes.md, section 16.1, step 5). */
const TRACKING = /^(?:utm_.*|gclid|fbclid|mc_eid)$/i;

/** As {@link normalizeAddress}, for pages: also without the parameters that only track visitors. */
export function pageAddress(address: string, base?: string): string | undefined {
  const normal = normalizeAddress(address, base);
  const query = normal?.indexOf('?') ?? -1;
  if (normal === undefined || query === -1) return normal;
  // The others stay as they are spelled, which URLSearchParams would change.
  const pairs = normal.slice(query + 1).split('&');
  const kept = pairs.filter((pair) => !TRACKING.test(pair.split('=', 1)[0]!));
  if (kept.length === pairs.length) return normal;
  return kept.length > 0 ? `${normal.slice(0, query)}?${kept.join('&')}` : normal.slice(0, query);
}

/** What browsers show. */
export const WEB_FORMATS = [
  'jpeg',
  'png',
  'gif',
  'webp',
  'avif',
  'svg',
  'ico',
  'bmp',
  'tiff',
  'jxl',
  'heic',
  'jp2',
] as const satisfies FormatId[];
/** Of names of image files, in lower case. */
export const IMAGE_EXTENSIONS: ReadonlySet<string> = new Set<string>(
  WEB_FORMATS.flatMap((id) => FORMATS[id].extensions),
);

/** Whether the path of an absolute address ends as the name of an image file does. */
export function hasImageExtension(address: string): boolean {
  return IMAGE_EXTENSIONS.has(extensionOf(pathOf(address)));
}

/** Of what a custom property of a style sheet may name besides images. */
const OTHER_EXTENSIONS = new Set([
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

/** Whether it ends as the name of some other file does: a font, a style sheet, a film. */
export function hasOtherExtension(address: string): boolean {
  return OTHER_EXTENSIONS.has(extensionOf(pathOf(address)));
}

function pathOf(address: string): string {
  return address.split(/[?#]/, 1)[0]!;
}
