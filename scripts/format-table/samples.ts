/** Makes files of formats of which the corpus has none or few: with third-party programs, or drawn by our own code. */
import { mkdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { InputFormat } from '../../codecs/formats/registry.ts';
import { DRAWN } from './drawn.ts';
import type { InputFile } from './inputs.ts';
import { runProgram } from './run-program.ts';
import { makeSources, type Source, type Sources } from './sources.ts';

interface Recipe {
  format: InputFormat;
  /** Name of the file, with extension. */
  name: string;
  source: keyof Sources;
  make(source: Source, out: string): Promise<Uint8Array>;
}

/** Makes a sample with a program that takes the path of its output file. */
const toFile = (
  format: InputFormat,
  name: string,
  source: keyof Sources,
  program: string,
  args: (source: Source, out: string) => readonly string[],
): Recipe => ({
  format,
  name,
  source,
  async make(input, out) {
    await runProgram(program, args(input, out));
    return readFile(out);
  },
});

const convert = (
  format: InputFormat,
  coder: string,
  name: string,
  source: keyof Sources,
  ...options: readonly string[]
): Recipe => toFile(format, name, source, 'convert', ({ png }, out) => [png, '-strip', ...options, `${coder}:${out}`]);

/** Makes a sample with a netpbm program, which writes to standard output. */
const netpbm = (
  format: InputFormat,
  program: string,
  name: string,
  source: keyof Sources,
  ...options: readonly string[]
): Recipe => ({
  format,
  name,
  source,
  async make({ anymap }) {
    const samples = await readFile(anymap);
    // Black and white images are passed as a bitmap, which programs for bitmaps require.
    const input =
      source === 'bits' || source === 'large'
        ? (await runProgram('pgmtopbm', ['-threshold'], samples)).stdout
        : samples;
    return (await runProgram(program, options, input)).stdout;
  },
});

const oiio = (format: InputFormat, name: string, source: keyof Sources, ...options: readonly string[]): Recipe =>
  toFile(format, name, source, 'oiiotool', ({ png }, out) => [png, ...options, '-o', out]);

const TO_LINEAR = ['--colorconvert:unpremult=1', 'sRGB', 'linear'] as const;

const RECIPES: readonly Recipe[] = [
  toFile('jp2', 'lossless.jp2', 'photo', 'opj_compress', ({ png }, out) => ['-i', png, '-o', out]),
  toFile('jp2', 'lossy.jp2', 'photo', 'opj_compress', ({ png }, out) => ['-i', png, '-o', out, '-I', '-r', '12']),
  toFile('jp2', 'stream.j2k', 'photo', 'opj_compress', ({ png }, out) => ['-i', png, '-o', out, '-t', '64,64']),
  toFile('jp2', 'grey.jp2', 'grey', 'opj_compress', ({ png }, out) => ['-i', png, '-o', out]),
  toFile('jp2', 'layers.jp2', 'photo', 'opj_compress', ({ png }, out) => ['-i', png, '-o', out, '-r', '20,10,1']),
  toFile('jls', 'photo.jls', 'photo', 'ffmpeg', ffmpegTo('jpegls')),
  toFile('jls', 'grey.jls', 'grey', 'ffmpeg', ffmpegTo('jpegls')),
  oiio('hdr', 'photo.hdr', 'photo', ...TO_LINEAR),
  convert('hdr', 'hdr', 'imagemagick.hdr', 'photo'),
  oiio('exr', 'half.exr', 'photo', ...TO_LINEAR, '-d', 'half'),
  oiio('exr', 'float.exr', 'photo', ...TO_LINEAR, '-d', 'float', '--compression', 'zips'),
  oiio('exr', 'piz.exr', 'photo', ...TO_LINEAR, '-d', 'half', '--compression', 'piz'),
  oiio('exr', 'alpha.exr', 'clear', ...TO_LINEAR, '-d', 'half', '--compression', 'rle'),
  netpbm('fits', 'pamtofits', 'grey.fits', 'grey'),
  convert('fits', 'fits', 'imagemagick.fits', 'grey'),
  convert('vicar', 'vicar', 'grey.vicar', 'grey'),
  toFile('vicar', 'gdal.vic', 'grey', 'gdal_translate', ({ png }, out) => ['-q', '-of', 'VICAR', png, out]),
  convert('miff', 'miff', 'photo.miff', 'photo'),
  convert('miff', 'miff', 'alpha.miff', 'clear', '-compress', 'zip'),
  convert('dpx', 'dpx', 'photo.dpx', 'photo'),
  oiio('dpx', 'ten-bits.dpx', 'photo', '-d', 'uint10'),
  oiio('dpx', 'sixteen-bits.dpx', 'photo', '-d', 'uint16'),
  convert('cin', 'cin', 'photo.cin', 'photo'),
  convert('dds', 'dds', 'plain.dds', 'clear', '-define', 'dds:compression=none'),
  convert('dds', 'dds', 'dxt1.dds', 'photo', '-define', 'dds:compression=dxt1'),
  convert('dds', 'dds', 'dxt5.dds', 'clear', '-define', 'dds:compression=dxt5'),
  netpbm('pam', 'pamtopam', 'photo.pam', 'photo'),
  netpbm('qoi', 'pamtoqoi', 'photo.qoi', 'photo'),
  toFile('farbfeld', 'photo.ff', 'clear', 'sh', ({ png }, out) => ['-c', 'png2ff < "$1" > "$2"', 'sh', png, out]),
  netpbm('wbmp', 'pbmtowbmp', 'bits.wbmp', 'bits'),
  convert('otb', 'otb', 'bits.otb', 'bits'),
  convert('jng', 'jng', 'photo.jng', 'photo'),
  convert('jng', 'jng', 'alpha.jng', 'clear'),
  convert('mng', 'mng', 'photo.mng', 'photo'),
  convert('mng', 'mng', 'two.mng', 'photo', '(', '+clone', '-negate', ')'),
  toFile('sixel', 'photo.six', 'few', 'img2sixel', ({ png }, out) => ['-o', out, png]),
  convert('sixel', 'sixel', 'few.sixel', 'few'),
  netpbm('sgi', 'pnmtosgi', 'photo.sgi', 'photo', '-rle'),
  netpbm('sgi', 'pnmtosgi', 'plain.sgi', 'photo', '-verbatim'),
  netpbm('xwd', 'pnmtoxwd', 'photo.xwd', 'photo'),
  netpbm('xwd', 'pnmtoxwd', 'bits.xwd', 'bits'),
  convert('xwd', 'xwd', 'imagemagick.xwd', 'photo'),
  netpbm('urle', 'pnmtorle', 'photo.rle', 'photo'),
  netpbm('urle', 'pnmtorle', 'grey.rle', 'grey'),
  convert('viff', 'viff', 'photo.viff', 'photo'),
  convert('viff', 'viff', 'grey.viff', 'grey'),
  convert('mtv', 'mtv', 'photo.mtv', 'photo'),
  oiio('rla', 'photo.rla', 'photo'),
  oiio('rla', 'alpha.rla', 'clear'),
  netpbm('avs', 'pamtoavs', 'photo.avs', 'photo'),
  convert('avs', 'avs', 'alpha.avs', 'clear'),
  convert('hrz', 'hrz', 'photo.hrz', 'photo', '-resize', '256x240!'),
  netpbm('pict', 'ppmtopict', 'few.pict', 'few'),
  convert('pict', 'pict', 'imagemagick.pct', 'photo'),
  netpbm('macpaint', 'pbmtomacp', 'large.mac', 'bits'),
  toFile('icns', 'icons.icns', 'clear', 'sh', ({ png }, out) => [
    '-c',
    'convert "$1" -resize 32x32! "$2.32.png" && convert "$1" -resize 128x128! "$2.128.png" && png2icns "$2" "$2.32.png" "$2.128.png"',
    'sh',
    png,
    out,
  ]),
  convert('cals', 'cals', 'bits.cal', 'bits'),
  convert('pcd', 'pcd', 'photo.pcd', 'photo', '-resize', '768x512!'),
  netpbm('palm', 'pnmtopalm', 'photo.palm', 'photo', '-depth=16'),
  netpbm('palm', 'pnmtopalm', 'few.palm', 'few', '-colormap'),
  netpbm('pdb', 'pamtopdbimg', 'bits.pdb', 'bits'),
  convert('pdb', 'pdb', 'grey.pdb', 'grey'),
  convert('rgf', 'rgf', 'bits.rgf', 'bits'),
  convert('aai', 'aai', 'photo.aai', 'clear'),
  convert('art', 'art', 'bits.art', 'bits'),
  convert('pcx', 'pcx', 'photo.pcx', 'photo'),
  convert('dcx', 'dcx', 'two.dcx', 'photo', '(', '+clone', '-negate', ')'),
  convert('psd', 'psd', 'photo.psd', 'photo'),
  convert('xpm', 'xpm', 'few.xpm', 'few'),
  convert('xbm', 'xbm', 'bits.xbm', 'bits'),
  netpbm('ilbm', 'ppmtoilbm', 'few.lbm', 'few'),
  netpbm('ilbm', 'ppmtoilbm', 'photo.ham6', 'photo', '-ham6'),
  netpbm('ilbm', 'ppmtoilbm', 'photo.ham8', 'photo', '-ham8'),
  netpbm('ilbm', 'ppmtoilbm', 'photo.iff', 'photo', '-24force'),
  netpbm('ilbm', 'ppmtoilbm', 'plain.ilbm', 'few', '-nocompress'),
  netpbm('degas', 'ppmtopi1', 'screen.pi1', 'screen'),
  netpbm('degas', 'pbmtopi3', 'large.pi3', 'large'),
  netpbm('spectrum512', 'ppmtospu', 'wide.spu', 'wide'),
];

function ffmpegTo(codec: string): (source: Source, out: string) => readonly string[] {
  return ({ png }, out) => ['-v', 'error', '-i', png, '-f', 'image2', '-c:v', codec, out];
}

export interface MadeFiles {
  files: InputFile[];
  /** Files that could not be made, with the reason. */
  missing: { name: string; why: string }[];
}

/** @param folder an empty folder for intermediate files */
export async function makeSamples(folder: string): Promise<MadeFiles> {
  await mkdir(folder, { recursive: true });
  const sources = await makeSources(folder);
  const made: MadeFiles = { files: [], missing: [] };
  for (const { format, name, source, make } of RECIPES) {
    try {
      const bytes = await make(sources[source], join(folder, name));
      made.files.push({ name: `made/${basename(name)}`, format, bytes });
    } catch (error) {
      made.missing.push({ name, why: error instanceof Error ? error.message.split('\n')[0]! : String(error) });
    }
  }
  for (const { format, name, draw } of DRAWN) {
    const { bytes, drawn } = draw(sources);
    made.files.push({ name: `made/${name}`, format, bytes, drawn });
  }
  return made;
}
