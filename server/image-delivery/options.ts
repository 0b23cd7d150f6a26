/** The options of an address: the parameters of compress, or the name of a pipeline, and a few of their own. */
import { z } from 'zod';
import { described } from '../../base/described.ts';
import { createDecoder } from '../../base/parameter-decoder.ts';
import { checkCompressParams, compressParams } from '../../engine/operations/compress/params.ts';
import { conflictingParameters } from '../../engine/operations/errors.ts';
import { integer, type SourceParams, sourceParams } from '../../engine/operations/parameters.ts';
import { invalidRequest } from '../http/errors.ts';

/** What compress makes in an address. Facts about the result are for programs, which use POST /api/v1/compress. */
const imageParams = compressParams
  .omit({ fingerprint: true, score: true })
  .extend(sourceParams.pick({ page: true }).shape);
export type ImageParams = z.output<typeof imageParams> & SourceParams;

const MAX_SECONDS = 253_402_300_799;

/** Options that are no parameters of compress. */
export const ownOptions = z.strictObject({
  pipeline: described(
    z.string().min(1).max(64).optional(),
    'Name of a saved pipeline or of a template that makes the image; without parameters of compress.',
    'shop',
  ),
  expires: described(
    integer(1, MAX_SECONDS).optional(),
    'Time from which the address is refused, in seconds since 1970.',
    1_800_000_000,
  ),
  errors: described(
    z.enum(['json', 'placeholder']).default('json'),
    'placeholder: an error is a grey image of the requested size.',
    'placeholder',
  ),
  tag: described(
    z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/)
      .meta({ 'x-form': 'up to 64 letters, digits, - and _' })
      .optional(),
    'Mark by which results can be removed from the cache together.',
    'spring',
  ),
  download: described(z.string().min(1).max(255).optional(), 'File name with which browsers save the image.', 'a.jpg'),
});

export const deliveryOptions = z.strictObject({ ...imageParams.shape, ...ownOptions.shape });

/** Short names of options, as image servers commonly have them. */
export const SHORT_NAMES: Readonly<Record<string, keyof typeof deliveryOptions.shape>> = {
  w: 'width',
  h: 'height',
  mw: 'max_width',
  mh: 'max_height',
  g: 'focus',
  c: 'crop',
  ar: 'crop_ratio',
  r: 'rotate',
  fl: 'flip',
  f: 'format',
  q: 'quality',
  m: 'mode',
  tb: 'target_bytes',
  bg: 'background',
  bl: 'blur',
  sh: 'sharpen',
  pg: 'page',
  p: 'pipeline',
  exp: 'expires',
  e: 'errors',
  dl: 'download',
};

const AUTO = 'auto';

export interface DeliveryOptions {
  /** How compress makes the image; undefined if a pipeline does. */
  params: ImageParams | undefined;
  pipeline: string | undefined;
  /** Seconds since 1970. */
  expires: number | undefined;
  errors: 'json' | 'placeholder';
  tag: string | undefined;
  download: string | undefined;
  /** The names of the options in the address. */
  given: ReadonlySet<string>;
  /** Text that is the same for options that give the same result. */
  canonical: string;
}

const decoder = createDecoder(deliveryOptions, Object.keys(SHORT_NAMES));

/**
 * Reads the options of an address.
 * @param text `name:value` pairs, separated by commas; values are percent-encoded
 * @throws Failure 400 `invalid_parameter`, `conflicting_parameters` or `invalid_request`
 */
export function parseOptions(text: string): DeliveryOptions {
  const given = decoder.fromText(pairsOf(text));
  const { pipeline, expires, errors, tag, download, ...params } = decoder.complete(given);
  const own = { pipeline, expires, errors, tag, download, given: new Set(given.keys()) };
  // Results of different tags are kept apart, so that each can be purged.
  const canonical = (made: unknown) => JSON.stringify([made, download ?? null, tag ?? null]);
  if (pipeline === undefined) {
    checkCompressParams({ ...params, fingerprint: false, score: false });
    return { ...own, params, canonical: canonical(params) };
  }
  const other = [...given.keys()].find((name) => !(name in ownOptions.shape));
  if (other !== undefined)
    throw conflictingParameters('pipeline', `Expected pipeline without ${other} but received both.`);
  return { ...own, params: undefined, canonical: canonical(pipeline) };
}

function pairsOf(text: string): [string, string][] {
  return text
    .split(',')
    .filter((pair) => pair !== '')
    .map((pair): [string, string] => {
      const colon = pair.indexOf(':');
      if (colon < 1) throw invalidRequest('name:value', 'an option', `"${pair.slice(0, 40)}"`);
      const short = pair.slice(0, colon);
      const name = Object.hasOwn(SHORT_NAMES, short) ? SHORT_NAMES[short]! : short;
      const value = decodeText(pair.slice(colon + 1));
      // The quality that the image needs is found by mode smart.
      return name === 'quality' && value === AUTO ? ['mode', 'smart'] : [name, value];
    });
}

/** @throws Failure 400 `invalid_request` for invalid percent-encoding */
export function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalidRequest('percent-encoded UTF-8', 'the address', 'something else');
  }
}
