/** Parses URLs. Does not check whether they may be connected to. */
import { UpstreamError } from '../../base/http-request.ts';
import { type AddressParam, credentialsNotAllowed, invalidUrl } from './outgoing-errors.ts';

/** Maximum length of a URL that a client sends, in characters (docs/spec/shapes.md, section 4). */
export const MAX_URL_LENGTH = 2048;

/**
 * Parses an http or https URL.
 * @param longest maximum length in characters
 * @throws Failure `invalid_url`, or `url_not_allowed` for a URL with credentials
 */
export function parseUrl(text: string, param: AddressParam, longest = MAX_URL_LENGTH): URL {
  if (text.length > longest || !URL.canParse(text)) throw invalidUrl(param, longest);
  return checkUrl(new URL(text), param);
}

function checkUrl(url: URL, param: AddressParam): URL {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw invalidUrl(param, MAX_URL_LENGTH);
  if (url.username !== '' || url.password !== '') throw credentialsNotAllowed(param);
  return url;
}

/**
 * Returns the target of a redirect.
 * @throws UpstreamError if the target is missing or invalid; Failure as `parseUrl`
 */
export function redirected(from: URL, location: string | undefined): URL {
  if (location === undefined || !URL.canParse(location, from)) throw new UpstreamError('a redirect to nowhere');
  return checkUrl(new URL(location, from), 'url');
}
