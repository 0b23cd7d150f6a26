/** The trusted decoders: programs and libraries of other makers. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import decodeJxl, { init as startJxl } from '@jsquash/jxl/decode.js';
import sharp from 'sharp';
import { readAnymap } from './anymap.ts';
import { type Raster, rasterOf, readBySharp } from './raster.ts';
import { type Output, pythonWith, runProgram, versionOf } from './run-program.ts';

const require = createRequire(import.meta.url);

export interface PageOfFile {
  /** Path of the file. */
  file: string;
  /** From 1. */
  page: number;
  /** An empty folder for what the decoder writes. */
  folder: string;
}

export interface Decoded {
  raster: Raster;
  /** undefined where the decoder does not tell. */
  pages?: number | undefined;
}

export interface TrustedDecoder {
  name: string;
  version(): Promise<string>;
  /** @throws Error when it is not installed or cannot decode the file */
  decode(page: PageOfFile): Promise<Decoded>;
}

type Arguments = (request: PageOfFile & { out: string }) => readonly string[];

interface Program {
  program: string;
  /** What it is part of, when its own name tells little. */
  of?: string;
  version: readonly [program: string, ...args: string[]];
  args: Arguments;
  /** Ending of the file that it writes; without one it writes an anymap to its standard output. */
  writes?: string;
  /** From 1; programs that decode only one page say nothing. */
  pages?: (request: PageOfFile, output: Output) => Promise<number> | number;
  /** Whether it decodes further pages than the first. */
  allPages?: true;
}

function program({ program, of, version, args, writes, pages, allPages }: Program): TrustedDecoder {
  return {
    name: of ? `${of} (${program})` : program,
    version: () => versionOf(...version),
    async decode(request) {
      if (request.page > 1 && !allPages) throw new Error(`${program} decodes the first page only`);
      const out = join(request.folder, `out.${writes ?? 'pnm'}`);
      const output = await runProgram(program, args({ ...request, out }));
      const raster = writes ? await readWritten(out) : readAnymap(output.stdout);
      return { raster, pages: await pages?.(request, output) };
    },
  };
}

async function readWritten(out: string): Promise<Raster> {
  // Programs that write several pictures number them.
  const written = [out, out.replace(/(\.\w+)$/, '-1$1'), out.replace(/(\.\w+)$/, '_1$1')].find(existsSync);
  if (!written) throw new Error(`no ${basename(out)}`);
  return /\.p[bgpna]m$/.test(written) ? readAnymap(await readFile(written)) : readBySharp(written);
}

const netpbm = (name: string, ...options: readonly string[]): TrustedDecoder => ({
  name: `netpbm (${name})`,
  version: () => versionOf(name, '--version'),
  async decode({ file, page }) {
    if (page > 1) throw new Error(`${name} decodes the first page only`);
    return { raster: readAnymap((await runProgram(name, options, await readFile(file))).stdout) };
  },
});

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

/** A JPEG or PNG file inside a BMP file, which begins where the header says. */
export const libvipsInBmp: TrustedDecoder = {
  name: 'libvips (sharp) of the file inside',
  version: libvips.version,
  async decode({ file }) {
    const bytes = await readFile(file);
    return { raster: await readBySharp(bytes.subarray(bytes.readUInt32LE(10))) };
  },
};

/** @param countsPages whether its frames are what we call pages */
const python = (
  library: 'pillow' | 'managed' | 'nibabel' | 'pydicom' | 'astropy',
  name: string,
  countsPages = true,
): TrustedDecoder => {
  const script = join(import.meta.dirname, 'reference.py');
  return {
    name,
    version: async () => versionOf(await pythonWith(library), script, 'version', library),
    async decode({ file, page, folder }) {
      const out = join(folder, 'out.png');
      const { stdout } = await runProgram(await pythonWith(library), [script, library, file, String(page), out]);
      return { raster: await readBySharp(out), pages: countsPages ? Number(stdout.toString()) : undefined };
    },
  };
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

/** The reference implementation, in another version than ours, which answers sRGB of 8 bits. */
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

/** The first picture of a sequence. */
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

/** At 96 dots per inch, as browsers draw. */
export const librsvg = program({
  program: 'rsvg-convert',
  of: 'librsvg',
  version: ['rsvg-convert', '--version'],
  writes: 'png',
  args: ({ file, out }) => ['--dpi-x=96', '--dpi-y=96', '-o', out, file],
});

export const icotool: TrustedDecoder = {
  name: 'icotool',
  version: () => versionOf('icotool', '--version'),
  /** Page 1 is the largest icon; the others are not compared. */
  async decode({ file, page, folder }) {
    if (page > 1) throw new Error('only the largest icon is compared');
    const { stdout } = await runProgram('icotool', ['-l', file]);
    const icons = stdout
      .toString()
      .trim()
      .split('\n')
      .map((line) => {
        const number = (name: string) => Number(new RegExp(`--${name}=(\\d+)`).exec(line)?.[1]);
        return { index: number('index'), rank: number('width') * number('height') * 64 + number('bit-depth') };
      });
    const [largest] = icons.toSorted((one, other) => other.rank - one.rank);
    const out = join(folder, 'out.png');
    await runProgram('icotool', ['-x', `-i${largest?.index}`, '-o', out, file]);
    return { raster: await readBySharp(out), pages: icons.length };
  },
};

export const icns2png: TrustedDecoder = {
  name: 'icns2png',
  version: () => versionOf('icns2png', '--version'),
  /** Page 1 is the largest icon. */
  async decode({ file, page, folder }) {
    if (page > 1) throw new Error('only the largest icon is compared');
    const { stdout, stderr } = await runProgram('icns2png', ['-x', '-o', folder, file]);
    const saved = [...`${stdout}\n${stderr}`.matchAll(/Saved '?.*? to (.*\.png)/g)].map((match) => match[1]!);
    const largest = saved.toSorted((one, other) => sizeIn(other) - sizeIn(one))[0];
    if (!largest) throw new Error('no icons');
    return { raster: await readBySharp(largest) };
  },
};

const sizeIn = (name: string): number => Number(/_(\d+)x\d+x\d+\.png$/.exec(name)?.[1]);

/** Through uncompressed DICOM, so that every transfer syntax is decoded by GDCM and every picture shown by DCMTK. */
export const dicomTools: TrustedDecoder = {
  name: 'GDCM and DCMTK (gdcmconv, dcm2pnm)',
  version: async () => `${await versionOf('gdcmconv', '--version')}, ${await versionOf('dcm2pnm', '--version')}`,
  async decode({ file, page, folder }) {
    const raw = join(folder, 'raw.dcm');
    const uncompressed = await runProgram('gdcmconv', ['--raw', file, raw]).then(
      () => raw,
      () => file,
    );
    const out = join(folder, 'out.png');
    const draw = (...options: readonly string[]) =>
      runProgram('dcmj2pnm', ['--write-png', '--frame', String(page), ...options, uncompressed, out]);
    const { stdout } = await runProgram('dcmdump', ['+P', 'NumberOfFrames', '+P', 'WindowCenter', file]);
    await (/WindowCenter/.test(stdout.toString()) ? draw('--use-window', '1') : draw('--min-max-window'));
    return { raster: await readBySharp(out), pages: Number(/IS \[(\d+)/.exec(stdout.toString())?.[1] ?? 1) };
  },
};

/** Developed as a camera would: its white balance, no automatic brightness. */
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

/** Floating-point pictures of light, as sRGB. */
export const openimageioLinear = program({
  program: 'oiiotool',
  of: 'OpenImageIO',
  version: ['oiiotool', '--version'],
  writes: 'png',
  args: ({ file, out }) => [file, '--colorconvert', 'linear', 'sRGB', '-o', out],
});

export const gdal = program({
  program: 'gdal_translate',
  of: 'GDAL',
  version: ['gdal_translate', '--version'],
  writes: 'png',
  args: ({ file, out }) => ['-q', '-of', 'PNG', file, out],
});

export const farbfeld: TrustedDecoder = {
  name: 'ff2png',
  version: async () => 'of farbfeld',
  async decode({ file, folder }) {
    const out = join(folder, 'out.png');
    await runProgram('sh', ['-c', 'ff2png < "$1" > "$2"', 'sh', file, out]);
    return { raster: await readBySharp(out) };
  },
};

export const sixel2png = program({
  program: 'sixel2png',
  of: 'libsixel',
  version: ['sixel2png', '-V'],
  writes: 'png',
  args: ({ file, out }) => ['-i', file, '-o', out],
});

/** Named by its coder, because it guesses wrongly where a format has no signature. */
export const imagemagick = (coder: string): TrustedDecoder =>
  program({
    program: 'convert',
    of: 'ImageMagick',
    version: ['convert', '-version'],
    writes: 'png',
    allPages: true,
    args: ({ file, page, out }) => [`${coder}:${file}[${page - 1}]`, '-auto-orient', '-colorspace', 'sRGB', out],
  });

/** The colours as the file has them: OpenImageIO takes every alpha for one that they are multiplied by. */
export const openimageioUnmultiplied = program({
  program: 'oiiotool',
  of: 'OpenImageIO',
  version: ['oiiotool', '--version'],
  writes: 'png',
  args: ({ file, out }) => [file, '--premult', '-o', out],
});

/** Palettes of four bits a colour, whose highest level others leave at 240. */
export const ofFourBits = (decoder: TrustedDecoder): TrustedDecoder => ({
  name: `${decoder.name} with four bits a colour`,
  version: decoder.version,
  async decode(request) {
    const { raster } = await decoder.decode(request);
    return { raster: { ...raster, data: raster.data.map((sample) => (sample >> 12) * 0x1111) } };
  },
});

/** Decoded by ImageMagick, brought to sRGB by LittleCMS. */
export const imagemagickManaged = (coder: string): TrustedDecoder => ({
  name: 'ImageMagick with LittleCMS',
  version: imagemagick(coder).version,
  async decode({ file, page, folder }) {
    const between = join(folder, 'between.tiff');
    await runProgram('convert', [`${coder}:${file}[${page - 1}]`, '-depth', '8', between]);
    const { raster } = await pillowManaged.decode({ file: between, page: 1, folder });
    return { raster };
  },
});

/** The pictures of a multi-picture file. */
export const exiftool: TrustedDecoder = {
  name: 'libvips (sharp) of what exiftool extracts',
  version: () => versionOf('exiftool', '-ver'),
  async decode({ file, page }) {
    if (page === 1) throw new Error('no multi-picture file');
    const { stdout } = await runProgram('exiftool', ['-b', `-MPImage${page}`, file]);
    return { raster: await readBySharp(stdout, 1, true) };
  },
};

/** JPEG of more than 8 bits, or without losses, as DICOM. */
export const dicomToolsOfJpeg: TrustedDecoder = {
  name: 'GDCM (gdcmimg, gdcmconv) and DCMTK (dcm2pnm)',
  version: dicomTools.version,
  async decode({ file, page, folder }) {
    if (page > 1) throw new Error('the first picture only');
    const [wrapped, raw, out] = ['wrapped.dcm', 'raw.dcm', 'out.png'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    await runProgram('gdcmimg', ['-i', file, '-o', wrapped]);
    await runProgram('gdcmconv', ['--raw', wrapped, raw]);
    await runProgram('dcm2pnm', ['--write-png', '--no-windowing', raw, out]);
    return { raster: await readBySharp(out) };
  },
};

export { netpbm };

function numberIn({ stdout }: Output, pattern: RegExp): number {
  return Number(pattern.exec(stdout.toString('latin1'))?.[1]);
}
