/** Reads what the pixels of a file are, format by format, with programs of other makers. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FormatId } from '../../codecs/formats/registry.ts';
import { runProgram } from '../format-table/run-program.ts';
import { type ColourSpace, codePointsName, gammaName, isSrgb, readColourSpace } from './colour-spaces.ts';
import { numberOf, readTags, type Tags } from './exiftool.ts';
import { readWithMagick } from './magick.ts';
import type { Animation, ColourModel, PixelProperties, PixelReader, Transparency } from './properties.ts';

const MS = 1000;

/** Reads all of it with ImageMagick. */
async function still(file: string): Promise<PixelProperties> {
  const { count, ...rest } = await readWithMagick(file);
  return { images: count, ...rest };
}

/** Samples of a palette are as deep as its colours. */
const BYTE_BITS = 8;

async function jpeg(_file: string, tags: Tags): Promise<PixelProperties> {
  const components = numberOf(tags, 'File:ColorComponents');
  const images = numberOf(tags, 'MPF0:NumberOfImages') ?? 1;
  const hasGainMap = images > 1 && Object.keys(tags).some((key) => /hdrgm|HDRGainMap/i.test(key));
  return {
    bits: numberOf(tags, 'File:BitsPerSample') ?? BYTE_BITS,
    model: components === 1 ? 'grey' : components === 4 ? 'CMYK' : 'RGB',
    images: hasGainMap ? images - 1 : images,
    hasGainMap,
  };
}

/** PNG specification, 11.2.2. */
const PNG_PALETTE = 3;

async function png(file: string, tags: Tags): Promise<PixelProperties> {
  const frames = numberOf(tags, 'PNG:AnimationFrames');
  const type = numberOf(tags, 'PNG:ColorType') ?? 0;
  const { transparency } = await readWithMagick(`${file}[0]`);
  return {
    bits: type === PNG_PALETTE ? BYTE_BITS : (numberOf(tags, 'PNG:BitDepth') ?? BYTE_BITS),
    model: type === 0 || type === 4 ? 'grey' : 'RGB',
    transparency,
    ...(frames !== undefined && frames > 1 ? { animation: await pngAnimation(file, tags, frames) } : {}),
  };
}

const pngAnimation = async (file: string, tags: Tags, frames: number): Promise<Animation> => ({
  frames,
  durationMs: await playingTime(file, 'apng'),
  plays: repeats(tags['PNG:AnimationPlays']),
});

/** The time of all frames in milliseconds. ffprobe replaces delays near zero as players do. */
async function playingTime(file: string, demuxer: 'apng' | 'gif'): Promise<number> {
  const args = ['-v', 'error', '-show_entries', 'packet=duration_time', '-of', 'csv=p=0', '-f', demuxer, file];
  const { stdout } = await runProgram('ffprobe', args);
  const seconds = stdout.toString('latin1').trim().split('\n').map(Number.parseFloat);
  return MS * seconds.reduce((sum, one) => sum + one, 0);
}

/** ExifTool calls endless repetition `inf` or `Infinite`. */
const repeats = (count: string | number | undefined): number | undefined =>
  count === undefined ? undefined : Number(count) || 0;

async function gif(file: string, tags: Tags): Promise<PixelProperties> {
  const { count, transparency } = await readWithMagick(file, true);
  if (count === 1) return { transparency };
  const repetitions = repeats(tags['GIF:AnimationIterations']);
  // Without the block that says it, an animation plays once; with it, once more than the block says.
  const plays = repetitions === undefined ? 1 : repetitions === 0 ? 0 : repetitions + 1;
  return { transparency, animation: { frames: count, durationMs: await playingTime(file, 'gif'), plays } };
}

async function webp(file: string): Promise<PixelProperties> {
  const { transparency } = await readWithMagick(file, true);
  const { stdout } = await runProgram('webpmux', ['-info', file]);
  const info = stdout.toString('latin1');
  const frames = Number(/Number of frames: (\d+)/.exec(info)?.[1] ?? 1);
  if (frames === 1) return { transparency };
  // Number, width, height, alpha, offsets, duration.
  const rows = info.matchAll(/^ *\d+: +\d+ +\d+ +\w+ +\d+ +\d+ +(\d+)/gm);
  const durationMs = [...rows].reduce((sum, [, duration]) => sum + Number(duration), 0);
  return { transparency, animation: { frames, durationMs, plays: Number(/Loop Count : (\d+)/.exec(info)?.[1]) } };
}

async function avif(file: string, tags: Tags): Promise<PixelProperties> {
  const { stdout } = await runProgram('avifdec', ['--info', file]);
  const info = stdout.toString('latin1');
  const field = (name: RegExp): string => new RegExp(`\\* ${name.source} *: (.+)`).exec(info)?.[1] ?? '';
  const [primaries, transfer] = [Number(field(/Color Primaries/)), Number(field(/Transfer Char\./))];
  const [, seconds, frames] = /, ([\d.]+) seconds \(\d+ timescales\), (\d+) frames/.exec(info) ?? [];
  const hasProfile = field(/ICC Profile/).startsWith('Present');
  return {
    bits: Number(field(/Bit Depth/)),
    model: field(/Format/) === 'YUV400' ? 'grey' : 'RGB',
    transparency: field(/Alpha/) === 'Absent' ? 'none' : await decodedTransparency('avifdec', file),
    hasGainMap: /hdrgainmap/i.test(String(tags['QuickTime:AuxiliaryImageType'] ?? '')),
    ...(hasProfile || isSrgb(primaries, transfer) ? {} : { profile: codePointsName(primaries, transfer) }),
    ...(frames === undefined ? {} : { animation: { frames: Number(frames), durationMs: Number(seconds) * MS } }),
  };
}

async function heic(_file: string, tags: Tags): Promise<PixelProperties> {
  return { bits: numberOf(tags, 'QuickTime:ImagePixelDepth', 'Meta:ImagePixelDepth') ?? BYTE_BITS };
}

async function jxl(file: string): Promise<PixelProperties> {
  const { stdout } = await runProgram('jxlinfo', ['-v', file]);
  const info = stdout.toString('latin1');
  const [, bits, model = ''] = /, (\d+)-bit (?:float \(.+?\) )?(\S+)/.exec(info) ?? [];
  const hasAlpha = /A$|Alpha/i.test(model);
  const durations = [...info.matchAll(/duration: ([\d.]+) ms/g)].map(([, duration]) => Number(duration));
  const isAnimated = info.includes('JPEG XL animation') && durations.length > 1;
  const space = await jxlSpace(file, info);
  return {
    bits: Number(bits),
    model: /^Gray/.test(model) ? 'grey' : 'RGB',
    // djxl writes the frames of an animation to files of their own.
    transparency: !hasAlpha ? 'none' : isAnimated ? 'partial' : await decodedTransparency('djxl', file),
    ...space,
    ...(isAnimated
      ? {
          animation: {
            frames: durations.length,
            durationMs: durations.reduce((sum, one) => sum + one, 0),
            plays: Number(/num_loops: (\d+)/.exec(info)?.[1]),
          },
        }
      : {}),
  };
}

/** The profile inside the coded image, or the space that it names or describes by numbers. */
async function jxlSpace(file: string, info: string): Promise<ColourSpace> {
  const space = /Color space: (.+)/.exec(info)?.[1] ?? '';
  const primaries = /(\S+) primaries/.exec(space)?.[1];
  if (primaries === 'Custom' || space.includes('ICC profile')) {
    return inFolder(async (folder) => {
      const profile = join(folder, 'profile.icc');
      await runProgram('djxl', [file, join(folder, 'out.png'), `--orig_icc_out=${profile}`]);
      return readColourSpace(await readTags(profile));
    });
  }
  const transfer = /(\S+) transfer function/.exec(space)?.[1] ?? '';
  const isPlain = (primaries === undefined || primaries === 'sRGB') && transfer === 'sRGB';
  return isPlain ? {} : { profile: [primaries, gammaName(transfer) ?? transfer].filter(Boolean).join(' ') };
}

/** Has another program decode the image to PNG and looks at its transparency. */
const decodedTransparency = (program: 'avifdec' | 'djxl', file: string): Promise<Transparency> =>
  inFolder(async (folder) => {
    const out = join(folder, 'out.png');
    await runProgram(program, [file, out]);
    return (await readWithMagick(out)).transparency;
  });

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'conversion-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** TIFF 6.0, PhotometricInterpretation. */
const TIFF_MODELS: Readonly<Record<number, ColourModel>> = { 0: 'grey', 1: 'grey', 5: 'CMYK', 8: 'Lab', 9: 'Lab' };
const TIFF_PALETTE = 3;

async function tiff(file: string, tags: Tags): Promise<PixelProperties> {
  const { count, transparency } = await readWithMagick(file);
  const photometric = numberOf(tags, 'IFD0:PhotometricInterpretation') ?? 2;
  return {
    images: count,
    bits: photometric === TIFF_PALETTE ? BYTE_BITS : (numberOf(tags, 'IFD0:BitsPerSample') ?? 1),
    model: TIFF_MODELS[photometric] ?? 'RGB',
    transparency,
  };
}

/** Adobe Photoshop File Formats Specification, color mode. */
const PSD_MODELS: Readonly<Record<number, ColourModel>> = { 0: 'grey', 1: 'grey', 4: 'CMYK', 9: 'Lab' };

async function psd(file: string, tags: Tags): Promise<PixelProperties> {
  // The first image is the composite; the others are its layers.
  const { transparency } = await readWithMagick(`${file}[0]`);
  return {
    bits: numberOf(tags, 'Photoshop:BitDepth') ?? BYTE_BITS,
    model: PSD_MODELS[numberOf(tags, 'Photoshop:ColorMode') ?? 3] ?? 'RGB',
    transparency,
  };
}

async function pdf(file: string): Promise<PixelProperties> {
  const { stdout } = await runProgram('pdfinfo', [file]);
  return { images: Number(/^Pages: +(\d+)/m.exec(stdout.toString('latin1'))?.[1]) };
}

async function raw(_file: string, tags: Tags): Promise<PixelProperties> {
  return { bits: numberOf(tags, 'IFD0:BitsPerSample') ?? BYTE_BITS };
}

async function dicom(_file: string, tags: Tags): Promise<PixelProperties> {
  return {
    images: numberOf(tags, 'DICOM:NumberOfFrames') ?? 1,
    bits: numberOf(tags, 'DICOM:BitsStored') ?? BYTE_BITS,
    model: String(tags['DICOM:PhotometricInterpretation']).startsWith('MONOCHROME') ? 'grey' : 'RGB',
  };
}

/** Images of an icon may have fewer bits than 8 in a palette. */
const bitmap: PixelReader = async (file) => ({ ...(await still(file)), bits: BYTE_BITS });

/** A floating-point sample of PFM has 32 bits, which its header does not say. */
async function pnm(file: string): Promise<PixelProperties> {
  const isFloat = (await readFile(file)).toString('latin1', 0, 2).toUpperCase() === 'PF';
  return { ...(await still(file)), ...(isFloat ? { bits: 32 } : {}) };
}

export const PIXEL_READERS: Readonly<Partial<Record<FormatId, PixelReader>>> = {
  jpeg,
  png,
  gif,
  webp,
  avif,
  heic,
  jxl,
  tiff,
  psd,
  pdf,
  raw,
  dicom,
  pnm,
  bmp: bitmap,
  ico: bitmap,
  tga: bitmap,
};
