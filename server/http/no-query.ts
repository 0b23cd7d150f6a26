import { z } from 'zod';
import type { Context } from './context.ts';
import { createDecoder, queryPairs } from './query.ts';

const none = createDecoder(z.strictObject({}));

/**
 * For endpoints without parameters.
 * @throws Failure 400 `invalid_parameter` for any that was sent
 */
export function refuseQuery(ctx: Context): void {
  none.fromText(queryPairs(ctx.querystring));
}
