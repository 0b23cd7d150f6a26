// Removes what the program never reads from the packages in node_modules: for the container image. The packages hold
// several builds of the same thing. Usage: node scripts/trim-installation.mjs [node_modules]
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { globSync } from 'tinyglobby';

const UNUSED = [
  '@expo-google-fonts/noto-sans/*/*.ttf',
  '@fontsource/*/files/*.woff',
  '@hyzyla/pdfium/dist/*.base64*.js',
  '@hyzyla/pdfium/dist/*.{browser,cdn,worker,bundle}.js',
  '@imagemagick/magick-wasm/dist/x64/*',
  '@jsquash/avif/codec/dec/*',
  '@jsquash/avif/codec/enc/avif_enc_mt*',
  '@tesseract.js-data/*/4.0.0/*',
];
const USED = ['400Regular', '400Regular_Italic', '600SemiBold', '700Bold', '700Bold_Italic'].map(
  (style) => `@expo-google-fonts/noto-sans/${style}/*`,
);

const [folder = 'node_modules'] = process.argv.slice(2);
let removed = 0;
for (const pattern of UNUSED) {
  const paths = globSync(pattern, { cwd: folder, ignore: USED }).map((path) => join(folder, path));
  if (paths.length === 0) throw new Error(`Expected files at ${pattern} but found none: have a look at the package.`);
  for (const path of paths) {
    removed += statSync(path).size;
    rmSync(path);
  }
}
console.log(`Removed ${(removed / 1e6).toFixed(1)} MB that the program never reads.`);
