/** Findings about how an image is served: whether it is, from which address, and with which headers. */
import { extname } from 'node:path/posix';
import { FORMATS, type FormatId, findFormat } from '../../../codecs/formats/registry.ts';
import { bytesText, isFetched, type Rule, timesText } from './finding.ts';

const MIN_CACHE_SECONDS = 86_400;
const MAX_UNCOMPRESSED_SVG_BYTES = 4096;

/** Fetch failures that mean the image is unreachable. Other failures are our own or temporary. */
const UNREACHABLE: ReadonlySet<string | null> = new Set(['url_fetch_failed', 'invalid_url']);
const NO_IMAGE: ReadonlySet<string | null> = new Set(['unsupported_format', 'unsupported_media_type']);

const broken: Rule = ({ asset, places }) => {
  const { status, httpStatus, errorCode } = asset;
  const refused = httpStatus !== null && httpStatus >= 400;
  if (status !== 'failed' || !(refused || UNREACHABLE.has(errorCode))) return undefined;
  return {
    code: 'broken',
    message: refused
      ? `The address answers with ${httpStatus}: visitors see no image.`
      : 'The address does not answer: visitors see no image.',
    references: places.listed,
    data: { http_status: httpStatus },
  };
};

const notImage: Rule = ({ asset, places }) => {
  const { status, httpStatus, errorCode, contentType } = asset;
  if (status !== 'failed' || (httpStatus ?? 0) >= 400 || !NO_IMAGE.has(errorCode)) return undefined;
  return {
    code: 'not_image',
    message: `The address answers with ${contentType ?? 'other content'} that is no image.`,
    references: places.listed,
    data: { content_type: contentType },
  };
};

/** The extension of an address's path, in lower case, without the dot. */
const extensionOfAddress = (url: string): string =>
  URL.canParse(url) ? extname(new URL(url).pathname).slice(1).toLowerCase() : '';

const IMAGE_EXTENSIONS = new Map<string, string>(
  Object.values(FORMATS).flatMap(({ name, extensions }) => extensions.map((extension) => [extension, name] as const)),
);

const wrongExtension: Rule = (view) => {
  const { url, format } = view.asset;
  if (!isFetched(view) || format === null) return undefined;
  const extension = extensionOfAddress(url);
  const { name, extensions } = FORMATS[format as FormatId];
  if (!IMAGE_EXTENSIONS.has(extension) || (extensions as readonly string[]).includes(extension)) return undefined;
  return {
    code: 'wrong_extension',
    message: `The address ends in .${extension}, but the image is ${name}.`,
    data: { extension, format },
  };
};

const redirected: Rule = (view) => {
  const { redirects, finalUrl } = view.asset;
  if (view.asset.kind === 'data_uri' || redirects === 0) return undefined;
  return {
    code: 'redirected',
    message: `The address leads to the image by ${timesText(redirects, 'redirect')}: link the last one.`,
    references: view.places.listed,
    data: { redirects, final_url: finalUrl },
  };
};

/** Seconds for which a browser may cache a response; undefined when the header does not say. */
function maxAge(cacheControl: string): number | undefined {
  const directives = cacheControl
    .toLowerCase()
    .split(',')
    .map((directive) => directive.trim());
  if (directives.some((directive) => /^no-(?:store|cache)\b/.test(directive))) return 0;
  const age = directives.map((directive) => /^max-age\s*=\s*"?(\d+)"?$/.exec(directive)?.[1]).find(Boolean);
  return age === undefined ? undefined : Number(age);
}

const noCache: Rule = (view) => {
  const { cacheControl } = view.asset;
  if (!isFetched(view)) return undefined;
  const seconds = cacheControl === null ? undefined : maxAge(cacheControl);
  if (cacheControl !== null && (seconds === undefined || seconds >= MIN_CACHE_SECONDS)) return undefined;
  return {
    code: 'no_cache',
    message:
      cacheControl === null
        ? 'The answer has no Cache-Control: browsers may load the image again on every visit.'
        : 'The answer may be kept for less than a day: browsers load the image again and again.',
    data: { cache_control: cacheControl },
  };
};

const uncompressedSvg: Rule = (view) => {
  const { format, contentEncoding, bytes } = view.asset;
  if (
    !isFetched(view) ||
    findFormat(format)?.web?.kind !== 'vector' ||
    contentEncoding !== null ||
    bytes! <= MAX_UNCOMPRESSED_SVG_BYTES
  )
    return undefined;
  const packed = view.facts?.gzipBytes ?? undefined;
  // An SVG that is already packed gets no smaller.
  const saved = packed === undefined ? undefined : Math.max(0, bytes! - packed);
  if (saved === 0) return undefined;
  return {
    code: 'uncompressed_svg',
    message: `This SVG of ${bytesText(bytes!)} is sent without gzip or Brotli.`,
    savingsBytes: saved,
    data: { gzip_bytes: packed ?? null },
  };
};

const alreadyNegotiated: Rule = ({ asset }) =>
  asset.negotiated === 1
    ? {
        code: 'already_negotiated',
        message: 'The server sends WebP or AVIF to browsers that accept it: nothing is to be replaced.',
      }
    : undefined;

const thirdParty: Rule = ({ asset, isThirdParty }) =>
  isThirdParty
    ? {
        code: 'third_party',
        message: 'The image is on a host that does not belong to the site: it cannot be replaced here.',
        data: { host: URL.canParse(asset.url) ? new URL(asset.url).host : null },
      }
    : undefined;

export const deliveryRules: readonly Rule[] = [
  broken,
  notImage,
  wrongExtension,
  redirected,
  noCache,
  uncompressedSvg,
  alreadyNegotiated,
  thirdParty,
];
