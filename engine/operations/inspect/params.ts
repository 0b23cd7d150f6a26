import { z } from 'zod';

/** `inspect` takes nothing but the choice of the picture (sourceParams). */
export const inspectParams = z.strictObject({});
