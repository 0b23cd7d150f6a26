/** Parses URLs. Does not check whether they may be connected to. */
import { AnswerFault } from './exchange.ts';
import { type AddressParam, credentialsNotAllowed, invalidUrl } from './outgoing-errors.ts';

/** Maximum length of a URL that a client sends, in characters (spec/shapes.md, section 4). */
export const LONGEST_URL = 2048;

/**
 * Parses an http or https URL.
 * @param longest maximum length in characters
 * @throws Failure `invalid_url`, or `url_not_allowed` for a URL with credentials
 */
export function parseUrl(text: string, param: AddressParam, longest = LONGEST_URL): URL {
  if (text.length > longest || !URL.canParse(text)) throw invalidUrl(param, longest);
  return checkUrl(new URL(text), param);
}

function checkUrl(url: URL, param: AddressParam): URL {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw invalidUrl(param, LONGEST_URL);
  if (url.username !== '' || url.password !== '') throw credentialsNotAllowed(param);
  return url;
}

/**
 * Returns the target of a redirect.
 * @throws AnswerFault if the target is missing or invalid; Failure as `parseUrl`
 */
export function redirected(from: URL, location: string | undefined): URL {
  if (location === undefined || !URL.canParse(location, from)) throw new AnswerFault('a redirect to nowhere');
  return checkUrl(new URL(location, from), 'url');
}
