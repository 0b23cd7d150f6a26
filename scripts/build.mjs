// `npm run build`: the product in dist/. With --packed as the package has it: afresh, smaller, and with the files of other
// packages that it carries.
import { rmSync } from 'node:fs';
import { buildConsole, buildProduct } from './bundles.mjs';
import { writeCarriedFiles } from './carried-files.mjs';
import { writeDeclarations } from './declarations.mjs';
import { buildLocalServer } from './local-server-package.mjs';

// `npm start` builds first, and would show nothing for some seconds.
process.stderr.write('Building Imagecrew …\n');
const packed = process.argv.includes('--packed');
if (packed) rmSync('dist', { recursive: true, force: true });
await Promise.all([
  buildProduct('dist', packed),
  buildConsole('dist/server/console/built'),
  buildLocalServer('dist'),
  ...(packed ? [writeCarriedFiles('dist')] : []),
]);
writeDeclarations('dist');
