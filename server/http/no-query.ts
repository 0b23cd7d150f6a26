import { z } from 'zod';
import type { Context } from './context.ts';
import { createDecoder, queryPairs } from './query.ts';

const none = createDecoder(z.strictObject({}));

/**
 * Refuses query parameters, for endpoints that have none.
 * @throws Failure 400 `invalid_parameter` for any parameter
 */
export function refuseQuery(ctx: Context): void {
  none.fromText(queryPairs(ctx.querystring));
}
