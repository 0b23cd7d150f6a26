// Files of packages that only the packed program carries, because the packages are many times as large: in
// dist/carried/, where base/package-file.ts looks for them.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { writeWhole } from './bundles.mjs';

/** Modules that are started or required from their own file. */
const MODULES = [
  'onnxruntime-web/ort-wasm-simd-threaded.mjs',
  'tesseract.js-core/tesseract-core-simd-lstm.js',
  '@cornerstonejs/codec-charls/decodewasmjs',
  '@cornerstonejs/codec-openjpeg/decodewasmjs',
];
/** Read by the program, which decompresses them. */
const DATA = [
  'onnxruntime-web/ort-wasm-simd-threaded.wasm',
  'tesseract.js-core/tesseract-core-simd-lstm.wasm',
  '@cornerstonejs/codec-charls/decodewasm',
  '@cornerstonejs/codec-openjpeg/decodewasm',
];

/** Folders of the packages whose files are carried. */
export const CARRIED_PACKAGES = [
  ...new Set([...MODULES, ...DATA].map((specifier) => `node_modules/${/^(?:@[^/]+\/)?[^/]+/.exec(specifier)[0]}`)),
];

const require = createRequire(import.meta.url);
const read = (specifier) => readFileSync(require.resolve(specifier));

/** @param out folder of the product. The compression takes half a minute of processor time. */
export async function writeCarriedFiles(out) {
  const folder = `${out}/carried`;
  // The product is ESM. A file with the extension .js here is not.
  writeWhole(`${folder}/package.json`, Buffer.from('{ "type": "commonjs" }\n'));
  for (const specifier of MODULES) writeWhole(`${folder}/${specifier}`, read(specifier));
  await Promise.all(
    DATA.map(async (specifier) => writeWhole(`${folder}/${specifier}.br`, await compress(read(specifier)))),
  );
}

const compress = (data) =>
  promisify(brotliCompress)(data, {
    params: {
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: data.length,
    },
  });
