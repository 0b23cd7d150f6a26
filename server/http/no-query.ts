import { z } from 'zod';
import { createDecoder } from '../../base/parameter-decoder.ts';
import type { Context } from './context.ts';
import { queryPairs } from './query.ts';

const emptyDecoder = createDecoder(z.strictObject({}));

/**
 * Refuses query parameters, for endpoints that have emptyDecoder.
 * @throws Failure 400 `invalid_parameter` for any parameter
 */
export function refuseQuery(ctx: Context): void {
  emptyDecoder.fromText(queryPairs(ctx.querystring));
}
