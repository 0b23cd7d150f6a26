// `npm run build`: the product in dist/, without its types. With --packed as the package has it: afresh, smaller, and with
// the files of other packages that it carries.
import { rmSync } from 'node:fs';
import { buildConsole, buildProduct } from './bundles.mjs';
import { writeCarriedFiles } from './carried-files.mjs';

const packed = process.argv.includes('--packed');
if (packed) rmSync('dist', { recursive: true, force: true });
await Promise.all([
  buildProduct('dist', packed),
  buildConsole('dist/server/console/built'),
  ...(packed ? [writeCarriedFiles('dist')] : []),
]);
