import { z } from 'zod';
import { expected, Failure } from '../../base/failure.ts';
import { createDecoder, type Decoder } from '../../base/parameter-decoder.ts';
import type { Context } from './context.ts';

/** @throws Failure 400 for an invalid, missing or unknown parameter */
export const readQuery = <P>(ctx: Context, decoder: Pick<Decoder<P>, 'fromText' | 'complete'>): P =>
  decoder.complete(decoder.fromText(queryPairs(ctx.querystring)));

const emptyDecoder = createDecoder(z.strictObject({}));

/** @throws Failure 400 `invalid_parameter` for any query parameter */
export function refuseQuery(ctx: Context): void {
  readQuery(ctx, emptyDecoder);
}

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
