import { z } from 'zod';

/** `faces` takes nothing but the choice of the picture (sourceParams). */
export const facesParams = z.strictObject({});
