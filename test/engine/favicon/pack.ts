/** Makes packs on the real pool and unpacks them. */
import { unzipSync } from 'fflate';
import type { ZipResult } from '../../../engine/operations/definition.ts';
import { type FaviconParams, faviconParams } from '../../../engine/operations/favicon/params.ts';
import { sourceParams } from '../../../engine/operations/parameters.ts';
import { ownBuffer, testEngine } from '../../support/engine.ts';
import { decode, pixel, type RawImage } from '../../support/test-images.ts';

export interface PackOptions extends Partial<FaviconParams> {
  page?: number;
  filename?: string;
}

export interface UnpackedPack {
  result: ZipResult;
  zip: Buffer;
  /** File names in the order of the ZIP. */
  names: string[];
  bytes(name: string): Uint8Array;
  text(name: string): string;
  /** Returns the pixels of an icon, as decoded by sharp. */
  icon(name: string): Promise<RawImage>;
}

/** Runs favicon on the real pool with the default parameters. */
export async function makePack(image: Uint8Array, options: PackOptions = {}): Promise<UnpackedPack> {
  const params = faviconParams.extend(sourceParams.shape).parse(options);
  const { filename } = options;
  const file = { data: ownBuffer(image), ...(filename === undefined ? {} : { filename }) };
  const result = await (await testEngine()).run('favicon', { image: file, params });
  const zip = Buffer.from(result.data);
  const files = unzipSync(zip);
  const bytes = (name: string): Uint8Array => {
    const file = files[name];
    if (!file) throw new Error(`no ${name} in ${Object.keys(files).join(', ')}`);
    return file;
  };
  return {
    result,
    zip,
    names: Object.keys(files),
    bytes,
    text: (name) => new TextDecoder('utf-8', { fatal: true }).decode(bytes(name)),
    icon: (name) => decode(bytes(name)),
  };
}

export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Yields the first and the last pixel of each row for which `matches` returns true. */
function* ends(image: RawImage, matches: (samples: number[]) => boolean): Generator<[x: number, y: number]> {
  for (let y = 0; y < image.height; y += 1) {
    let first = 0;
    while (first < image.width && !matches(pixel(image, first, y))) first += 1;
    if (first === image.width) continue;
    let last = image.width - 1;
    while (!matches(pixel(image, last, y))) last -= 1;
    yield [first, y];
    yield [last, y];
  }
}

/** Returns the smallest box around the pixels for which `matches` returns true. */
export function boxOf(image: RawImage, matches: (samples: number[]) => boolean): Box {
  let [left, top, right, bottom] = [Infinity, Infinity, -1, -1];
  for (const [x, y] of ends(image, matches))
    [left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, x), Math.max(bottom, y)];
  return { left, top, width: right - left + 1, height: bottom - top + 1 };
}

/** Returns whether a pixel is not fully transparent. */
export const visible = (samples: number[]): boolean => (samples[3] ?? 255) > 0;

/**
 * Returns the largest distance in pixels from the centre to the far corner of a pixel for which `matches` returns true.
 */
export function maxRadius(image: RawImage, matches: (samples: number[]) => boolean): number {
  let farthest = 0;
  for (const [x, y] of ends(image, matches)) {
    const across = Math.abs(x + 0.5 - image.width / 2) + 0.5;
    const down = Math.abs(y + 0.5 - image.height / 2) + 0.5;
    farthest = Math.max(farthest, Math.hypot(across, down));
  }
  return farthest;
}
