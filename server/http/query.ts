import { expected, Failure } from '../../base/failure.ts';

/**
 * Returns the pairs of a query string, decoded as application/x-www-form-urlencoded.
 * @throws Failure 400 `invalid_request` for invalid percent-encoding, which a lenient decoder would pass on unchanged
 */
export function queryPairs(query: string): [string, string][] {
  return query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return [decodeText(name), decodeText(value.join('='))];
    });
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new Failure('invalid_request', expected('percent-encoded UTF-8', 'the query', text));
  }
}
