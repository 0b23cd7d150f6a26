/** Prepares images for the documentation: WebP of moderate size. */
import sharp from 'sharp';

const WIDTH = 640;
const STRIP = { frames: 6, width: 150 } as const;

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface ShownImage {
  data: Buffer;
  width: number;
  height: number;
}

/** @param boxes drawn over the image, in its pixels */
export async function shownImage(file: Buffer, boxes: readonly Box[] = []): Promise<ShownImage> {
  const { pages = 1, width, height } = await sharp(file).metadata();
  const still =
    pages > 1
      ? await filmstrip(file, pages)
      : sharp(file).composite(boxes.length > 0 ? [overlay(width, height, boxes)] : []);
  // sharp resizes before it composites, so the composite image is encoded first.
  const { data, info } = await sharp(await still.png().toBuffer())
    .resize({ width: pages > 1 ? STRIP.frames * STRIP.width : WIDTH, withoutEnlargement: true })
    .webp({ quality: 74, alphaQuality: 80, effort: 6 })
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

function overlay(width: number, height: number, boxes: readonly Box[]) {
  const rects = boxes.map(
    ({ x, y, width, height }) =>
      `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="8" fill="none" stroke="#ffffff" stroke-width="12"/><rect x="${x}" y="${y}" width="${width}" height="${height}" rx="8" fill="none" stroke="#0f5cc0" stroke-width="6"/>`,
  );
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${rects.join('')}</svg>`;
  return { input: Buffer.from(svg) };
}

/** Shows frames of an animation side by side, because moving images make a page hard to read. */
async function filmstrip(file: Buffer, pages: number) {
  const count = Math.min(STRIP.frames, pages);
  const frames = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      sharp(file, { page: Math.floor((index * pages) / count) })
        .resize({ width: STRIP.width })
        .png()
        .toBuffer(),
    ),
  );
  const { height } = await sharp(frames[0]).metadata();
  return sharp({
    create: { width: STRIP.width * count, height, channels: 4, background: '#00000000' },
  }).composite(frames.map((input, index) => ({ input, left: index * STRIP.width, top: 0 })));
}

/** Mean difference of the samples, of 255; infinite if the sizes differ. */
export async function imageDifference(one: Buffer, other: Buffer): Promise<number> {
  const [a, b] = await Promise.all(
    [one, other].map((data) => sharp(data).ensureAlpha().raw().toBuffer({ resolveWithObject: true })),
  );
  if (a!.info.width !== b!.info.width || a!.info.height !== b!.info.height) return Number.POSITIVE_INFINITY;
  let sum = 0;
  for (let index = 0; index < a!.data.length; index += 1) sum += Math.abs(a!.data[index]! - b!.data[index]!);
  return sum / a!.data.length;
}
