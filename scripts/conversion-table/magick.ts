/** Reads images with ImageMagick. */
import { runProgram } from '../format-table/run-program.ts';
import type { ColourModel, Transparency } from './properties.ts';

/** What ImageMagick reads of all images of a file. */
interface MagickImages {
  count: number;
  /** Of the first image. */
  bits: number;
  model: ColourModel;
  transparency: Transparency;
}

/** Of samples from 0 to 255. Lossy coding of opaque images of 12 bits leaves values just below the maximum. */
const OPAQUE = 254;

/** @param frames whether the images are frames of an animation, each drawn over the previous ones */
export async function readWithMagick(file: string, frames = false): Promise<MagickImages> {
  const source = [file, ...(frames ? ['-coalesce'] : [])];
  const lines = (await magickLines(source, '%z %[colorspace]\\n')).map((line) => line.split(' '));
  const [[bits, space = ''] = []] = lines;
  const alpha = ['-alpha', 'extract', '-depth', '8', '-unique-colors'];
  const levels = await magickLines([...source, ...alpha], '%w %[fx:255*minima] %[fx:255*maxima]\\n');
  return {
    count: lines.length,
    bits: Number(bits),
    model: magickModel(space),
    transparency: mostTransparent(levels.map((line) => transparencyOf(line.split(' ').map(Number)))),
  };
}

async function magickLines(args: readonly string[], format: string): Promise<string[]> {
  const { stdout } = await runProgram('convert', [...args, '-format', format, 'info:']);
  return stdout.toString('latin1').trim().split('\n');
}

/** @param levels how many values of alpha there are, the least and the greatest */
function transparencyOf([count = 1, least = 0, greatest = 0]: readonly number[]): Transparency {
  if (least >= OPAQUE) return 'none';
  return count <= 2 && least < 1 && (count === 1 || greatest >= OPAQUE) ? 'binary' : 'partial';
}

function mostTransparent(found: readonly Transparency[]): Transparency {
  return (['partial', 'binary'] as const).find((kind) => found.includes(kind)) ?? 'none';
}

function magickModel(space: string): ColourModel {
  if (/gray/i.test(space)) return 'grey';
  return space === 'CMYK' || space === 'Lab' ? space : 'RGB';
}

/** Whether the first images of two files have the same samples, however many bits each has for them. */
export async function isSameImage(file: string, other: string): Promise<boolean> {
  const args = ['-metric', 'AE', `${file}[0]`, `${other}[0]`, 'null:'];
  // It says the number of pixels that differ as an error, and fails if there are any.
  return runProgram('compare', args).then(
    ({ stderr }) => stderr.trim() === '0',
    () => false,
  );
}
