import { z } from 'zod';

/** `faces` has no parameters except the choice of the image (sourceParams). */
export const facesParams = z.strictObject({});
