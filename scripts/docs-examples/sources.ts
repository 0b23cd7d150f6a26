/**
 * Source images of the examples. They are drawn by code, so nobody else has rights to them and they show no real
 * person.
 */
import sharp from 'sharp';
import { ADJUSTED_SOURCE } from './adjustments.ts';
import { FRAME_MS, frames } from './animation.ts';
import { landscape } from './landscape.ts';
import { logo } from './logo.ts';
import { page } from './page.ts';
import { ADA, group, portrait } from './portrait.ts';
import { product } from './product.ts';
import { scene } from './scene.ts';

/** Metadata as a camera would write it. */
const EXIF = {
  IFD0: { Make: 'Imagecrew', Model: 'Drawn by code', Artist: 'Imagecrew', Copyright: 'Imagecrew, MIT' },
  IFD2: { DateTimeOriginal: '2026:06:21 20:41:07', ExposureTime: '1/125', FNumber: '8/1', FocalLength: '24/1' },
  IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '46/1 21/1 49/1', GPSLongitudeRef: 'E', GPSLongitude: '14/1 5/1 35/1' },
} as const;

/**
 * @param draw renders an SVG as PNG
 * @returns the files by their names
 */
export async function drawSources(draw: (svg: string) => Promise<Buffer>): Promise<Map<string, Buffer>> {
  const photo = sharp(await draw(landscape())).removeAlpha();
  const jpeg = async (svg: string) =>
    sharp(await draw(svg))
      .removeAlpha()
      .jpeg({ quality: 86 })
      .toBuffer();
  const animation = await Promise.all(frames().map(draw));
  return new Map([
    ['photo.jpg', await photo.clone().withExif(EXIF).jpeg({ quality: 88 }).toBuffer()],
    [
      'small.jpg',
      await photo
        .clone()
        .extract({ left: 0, top: 430, width: 720, height: 480 })
        .resize(480)
        .jpeg({ quality: 80 })
        .toBuffer(),
    ],
    ['portrait.jpg', await jpeg(portrait(ADA))],
    ['group.jpg', await jpeg(group())],
    ['vase.jpg', await jpeg(product())],
    [
      'page.png',
      await sharp(await draw(page()))
        .removeAlpha()
        .png({ palette: true })
        .toBuffer(),
    ],
    ['logo.svg', Buffer.from(logo())],
    [ADJUSTED_SOURCE, await scene()],
    [
      'orbit.gif',
      await sharp(animation, { join: { animated: true } })
        .gif({ delay: animation.map(() => FRAME_MS), loop: 0, colours: 64 })
        .toBuffer(),
    ],
  ]);
}
