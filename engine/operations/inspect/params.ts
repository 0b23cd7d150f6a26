import { z } from 'zod';

/** `inspect` has no parameters except the choice of the image (sourceParams). */
export const inspectParams = z.strictObject({});
