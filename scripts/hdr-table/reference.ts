/**
 * The reference: each file is decoded by a program of another maker and tone-mapped by libplacebo, the renderer of mpv
 * and VLC, on the processor (Mesa's lavapipe).
 */
import { join } from 'node:path';
import { runProgram, versionOf } from '../format-table/run-program.ts';
import type { HdrFile } from './sources.ts';

/** Peak of files that record none, in cd/m2. */
const DEFAULT_PEAK = 1000;

/** The knee of ITU-R BT.2390-11; libplacebo has another default. */
const KNEE = 0.5;

/** Decodes to a PNG of 16 bits, with the samples as they are coded. */
export async function decodedPng({ path }: Pick<HdrFile, 'path'>, folder: string): Promise<string> {
  const out = join(folder, 'decoded.png');
  const commands: Readonly<Record<string, readonly [string, ...string[]]>> = {
    avif: ['avifdec', '--depth', '16', path, out],
    jxl: ['djxl', '--bits_per_sample', '16', path, out],
    heic: ['heif-convert', path, out],
  };
  const command = commands[path.slice(path.lastIndexOf('.') + 1)];
  if (!command) return path;
  const [program, ...args] = command;
  await runProgram(program, args);
  return out;
}

/** Returns the samples of a PNG as RGB of 16 bits, little-endian, without any conversion of colours. */
export const pngSamples = async (png: string): Promise<Buffer> =>
  (await runProgram('convert', [png, '-depth', '16', '-endian', 'LSB', 'rgb:-'])).stdout;

const PRIMARIES: Readonly<Record<number, string>> = { 9: 'bt2020', 12: 'smpte432' };
const TRANSFERS = { pq: 'smpte2084', hlg: 'arib-std-b67' } as const;

/**
 * Tone-maps with the curve of ITU-R BT.2390 on the brightest component.
 * @returns interleaved RGB of 8 bits in sRGB
 */
export async function toneMappedByLibplacebo(file: HdrFile, folder: string): Promise<Buffer> {
  const png = await decodedPng(file, folder);
  const peak = file.peak ?? DEFAULT_PEAK;
  // The peak is only read from the metadata of a video, so the image becomes one, without loss.
  const video = join(folder, 'image.mkv');
  const display = `G(8500,39850)B(6550,2300)R(35400,14600)WP(15635,16450)L(${peak * 10_000},1)`;
  const metadata = file.transfer === 'pq' ? `:master-display=${display}:max-cll=${peak},${peak}` : '';
  const quiet = ['-hide_banner', '-loglevel', 'error', '-y'];
  await runProgram('ffmpeg', [
    ...[...quiet, '-i', png, '-vf', 'format=rgb48le,scale=in_range=full:out_range=full,format=gbrp12le'],
    ...['-c:v', 'libx265', '-x265-params', `lossless=1:log-level=error${metadata}`],
    ...['-color_primaries', PRIMARIES[file.primaries]!, '-color_trc', TRANSFERS[file.transfer]],
    ...['-colorspace', 'rgb', '-color_range', 'pc', '-frames:v', '1', video],
  ]);
  const mapping = [
    'libplacebo=color_primaries=bt709:color_trc=iec61966-2-1:colorspace=gbr:range=pc:format=rgba64le',
    `tonemapping=bt.2390:tonemapping_param=${KNEE}:tonemapping_mode=max:peak_detect=0:dithering=none`,
  ].join(':');
  const { stdout } = await runProgram('ffmpeg', [
    ...[...quiet, '-init_hw_device', 'vulkan=v:0', '-filter_hw_device', 'v', '-i', video],
    ...['-vf', `format=gbrp16le,hwupload,${mapping},hwdownload,format=rgba64le`],
    ...['-frames:v', '1', '-f', 'rawvideo', '-pix_fmt', 'rgba64le', '-'],
  ]);
  return bytesOf(stdout);
}

/** Drops alpha, and rounds to 8 bits. */
function bytesOf(rgba: Buffer): Buffer {
  const bytes = Buffer.alloc((rgba.length / 8) * 3);
  for (let pixel = 0; pixel < rgba.length / 8; pixel += 1) {
    for (let band = 0; band < 3; band += 1)
      bytes[pixel * 3 + band] = Math.round(rgba.readUInt16LE(pixel * 8 + band * 2) / 257);
  }
  return bytes;
}

export const referenceVersions = async (): Promise<string> =>
  `libplacebo of ffmpeg ${await versionOf('ffmpeg', '-version')}, avifdec ${await versionOf('avifdec', '--version')}, djxl ${await versionOf('djxl', '--version')}, heif-convert ${await versionOf('heif-convert', '--help')}`;
