/** The API's parameters as the service declares them. `npm run generate` writes the JSON. */
import type { Declarations } from '../../server/console/declaration-types.ts';
import json from './declarations.json' with { type: 'json' };

export const declarations = json as Declarations;
