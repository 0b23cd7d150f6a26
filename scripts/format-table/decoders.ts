/** The trusted decoders: third-party programs and libraries. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import decodeJxl, { init as startJxl } from '@jsquash/jxl/decode.js';
import sharp from 'sharp';
import { numberIn, program, python, type TrustedDecoder } from './decoder.ts';
import { rasterOf, readBySharp } from './raster.ts';
import { runProgram } from './run-program.ts';

const require = createRequire(import.meta.url);

/** Native libvips. */
export const libvips: TrustedDecoder = {
  name: 'libvips (sharp)',
  version: async () => sharp.versions.vips ?? 'unknown',
  async decode({ file, page }) {
    const { pages } = await sharp(file, { unlimited: true, limitInputPixels: false }).metadata();
    if (page > (pages ?? 1)) throw new Error('libvips reads the first page only');
    return { raster: await readBySharp(file, page, true), pages };
  },
};

export const libvipsTolerant: TrustedDecoder = {
  name: 'libvips (sharp) as far as it comes',
  version: libvips.version,
  decode: async ({ file, page }) => ({ raster: await readBySharp(file, page, true, 'none') }),
};

export const pillow = python('pillow', 'Pillow');
export const pillowFirst = python('pillow', 'Pillow', false);
export const pillowManaged = python('managed', 'Pillow with LittleCMS', false);
export const nibabel = python('nibabel', 'NiBabel');
export const pydicom = python('pydicom', 'pydicom');
export const astropy = python('astropy', 'Astropy');

export const djxl = program({
  program: 'djxl',
  version: ['djxl', '--version'],
  writes: 'png',
  args: ({ file, out }) => [file, out],
});

/** The reference implementation, in a version other than ours; returns sRGB of 8 bits. */
export const libjxl: TrustedDecoder = {
  name: 'libjxl (@jsquash/jxl)',
  version: async () => JSON.parse(await readFile(require.resolve('@jsquash/jxl/package.json'), 'utf8')).version,
  async decode({ file, page }) {
    if (page > 1) throw new Error('only the first frame is decoded');
    const wasm = await readFile(require.resolve('@jsquash/jxl/codec/dec/jxl_dec.wasm'));
    await startJxl(await WebAssembly.compile(wasm));
    const { data, width, height } = await decodeJxl(new Uint8Array(await readFile(file)).buffer);
    return { raster: rasterOf(new Uint8Array(data.buffer), { width, height, channels: 4 }) };
  },
};

/** Decodes the first image of a sequence. */
export const libavif = program({
  program: 'avifdec',
  of: 'libavif',
  version: ['avifdec', '--version'],
  writes: 'png',
  args: ({ file, out }) => ['--depth', '8', file, out],
});

export const heifConvert = program({
  program: 'heif-convert',
  version: ['heif-convert', '--help'],
  writes: 'png',
  args: ({ file, out }) => [file, out],
});

export const openjpeg = program({
  program: 'opj_decompress',
  version: ['opj_decompress', '-h'],
  writes: 'png',
  args: ({ file, out }) => ['-i', file, '-o', out],
});

export const poppler = program({
  program: 'pdftoppm',
  of: 'Poppler',
  version: ['pdftoppm', '-v'],
  writes: 'png',
  allPages: true,
  args: ({ file, page, out }) => [
    ...['-cropbox', '-r', '150', '-png', '-singlefile', '-f', String(page), '-l', String(page)],
    file,
    out.replace(/\.png$/, ''),
  ],
  pages: async ({ file }) => numberIn(await runProgram('pdfinfo', [file]), /Pages:\s+(\d+)/),
});

export const djvulibre = program({
  program: 'ddjvu',
  of: 'DjVuLibre',
  version: ['ddjvu', '--help'],
  writes: 'ppm',
  allPages: true,
  args: ({ file, page, out }) => ['-format=ppm', `-page=${page}`, '-subsample=1', file, out],
  pages: async ({ file }) => numberIn(await runProgram('djvused', ['-e', 'n', file]), /(\d+)/),
});

/** Renders at 96 dots per inch, as browsers do. */
export const librsvg = program({
  program: 'rsvg-convert',
  of: 'librsvg',
  version: ['rsvg-convert', '--version'],
  writes: 'png',
  args: ({ file, out }) => ['--dpi-x=96', '--dpi-y=96', '-o', out, file],
});

/** Develops as a camera would: with its white balance, without automatic brightness. */
export const libraw = program({
  program: 'dcraw_emu',
  of: 'LibRaw',
  version: ['raw-identify'],
  writes: 'ppm',
  args: ({ file, out }) => ['-w', '-Z', out, file],
});

export const ffmpeg = (codec: string, container = 'image2'): TrustedDecoder =>
  program({
    program: 'ffmpeg',
    version: ['ffmpeg', '-version'],
    writes: 'png',
    args: ({ file, out }) => ['-v', 'error', '-f', container, '-c:v', codec, '-i', file, '-frames:v', '1', out],
  });

export const openimageio = program({
  program: 'oiiotool',
  of: 'OpenImageIO',
  version: ['oiiotool', '--version'],
  writes: 'png',
  args: ({ file, out }) => [file, '-o', out],
});

/** Converts floating-point images in linear light to sRGB. */
export const openimageioLinear = program({
  program: 'oiiotool',
  of: 'OpenImageIO',
  version: ['oiiotool', '--version'],
  writes: 'png',
  args: ({ file, out }) => [file, '--colorconvert:unpremult=1', 'linear', 'sRGB', '-o', out],
});

/** Keeps the stored colours: OpenImageIO assumes that every alpha is premultiplied. */
export const openimageioUnmultiplied = program({
  program: 'oiiotool',
  of: 'OpenImageIO',
  version: ['oiiotool', '--version'],
  writes: 'png',
  args: ({ file, out }) => [file, '--premult', '-o', out],
});

export const gdal = program({
  program: 'gdal_translate',
  of: 'GDAL',
  version: ['gdal_translate', '--version'],
  writes: 'png',
  args: ({ file, out }) => ['-q', '-of', 'PNG', file, out],
});

export const sixel2png = program({
  program: 'sixel2png',
  of: 'libsixel',
  version: ['sixel2png', '-V'],
  writes: 'png',
  args: ({ file, out }) => ['-i', file, '-o', out],
});

/** The coder is named explicitly, because ImageMagick guesses wrongly for formats without a signature. */
export const imagemagick = (coder: string): TrustedDecoder =>
  program({
    program: 'convert',
    of: 'ImageMagick',
    version: ['convert', '-version'],
    writes: 'png',
    allPages: true,
    args: ({ file, page, out }) => [`${coder}:${file}[${page - 1}]`, '-auto-orient', '-colorspace', 'sRGB', out],
  });
