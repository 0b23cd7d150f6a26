// `npm run build`: the product in dist/, without its types.
import { buildConsole, buildProduct } from './bundles.mjs';

await Promise.all([buildProduct('dist'), buildConsole('dist/server/console/built')]);
