/** The images from which inputs are cropped: made in the same way on every machine, never stored in the repository. */
import sharp, { type Sharp } from 'sharp';
import { corpus } from '../test/support/corpus.ts';
import { escapeXml, renderSvg } from './svg.ts';

/** A photograph of two people in front of a busy background (US Government work), 2000 x 1428 pixels. */
const PHOTOGRAPH = corpus('faces/face_recognition--obama_and_biden.jpg');

/** The head and shoulders of one of them (US Government work). */
const PORTRAIT = corpus('faces/face_recognition--biden.jpg');

/** Results on different images must not be compared, so the kind is part of every result. */
export const PHOTOGRAPH_KIND = PHOTOGRAPH ? 'photograph' : 'generated';

/**
 * Returns a photograph of this size: a real one if the files next to the repository are there, otherwise a generated
 * one with similar statistics.
 */
export async function photograph(width: number, height: number): Promise<Sharp> {
  const source = PHOTOGRAPH ?? (await generatePhotograph());
  return materialise(sharp(source).resize(width, height, { fit: 'cover' }).removeAlpha());
}

/** Returns a face that fills the image; undefined without the real files, because a face cannot be generated. */
export async function portrait(width: number, height: number): Promise<Sharp | undefined> {
  if (!PORTRAIT) return undefined;
  return materialise(sharp(PORTRAIT).resize(width, height, { fit: 'cover', position: 'top' }).removeAlpha());
}

/**
 * Tiles the photograph four times, mirrored at the seams. The result has the requested size, with the detail of an
 * image half as wide. Enlarging would make a soft image, which is easier for every encoder.
 */
export async function largePhotograph(width: number, height: number): Promise<Sharp> {
  const quarter = await photograph(width / 2, height / 2);
  const right = await quarter.clone().flop().png().toBuffer();
  const bottom = await quarter.clone().flip().png().toBuffer();
  const opposite = await quarter.clone().flip().flop().png().toBuffer();
  const canvas = sharp({ create: { width, height, channels: 3, background: 'black' } });
  return canvas.composite([
    { input: await quarter.png().toBuffer(), left: 0, top: 0 },
    { input: right, left: width / 2, top: 0 },
    { input: bottom, left: 0, top: height / 2 },
    { input: opposite, left: width / 2, top: height / 2 },
  ]);
}

/** Returns the photograph, cut out along an ellipse with a soft edge. */
export async function cutout(width: number, height: number): Promise<Sharp> {
  const mask = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <radialGradient id="edge"><stop offset="0.9" stop-color="#fff"/><stop offset="1" stop-color="#fff" stop-opacity="0"/></radialGradient>
    <ellipse cx="50%" cy="50%" rx="48%" ry="48%" fill="url(#edge)"/></svg>`;
  const image = await photograph(width, height);
  return image.ensureAlpha().composite([{ input: await renderSvg(mask), blend: 'dest-in' }]);
}

/** Returns a still photograph with a disk that moves across it: most pixels stay the same, as in most animations. */
export async function animation(width: number, height: number, frames: number): Promise<Sharp> {
  const still = await (await photograph(width, height)).png().toBuffer();
  const disk = await renderSvg(
    '<svg xmlns="http://www.w3.org/2000/svg" width="80" height="80"><circle cx="40" cy="40" r="38" fill="#d33" stroke="#fff" stroke-width="4"/></svg>',
  );
  const drawn = await Promise.all(
    Array.from({ length: frames }, (_, frame) =>
      sharp(still)
        .composite([{ input: disk, left: Math.round((frame / frames) * (width - 80)), top: Math.round(height / 3) }])
        .png()
        .toBuffer(),
    ),
  );
  return sharp(drawn, { join: { animated: true } });
}

const WORDS =
  'The quick brown fox jumps over the lazy dog while five boxing wizards pack my box with liquor jugs'.split(' ');

function someWords(from: number, count: number): string {
  return Array.from({ length: count }, (_, index) => WORDS[(from * 7 + index * 3) % WORDS.length]).join(' ');
}

/** Draws a square printed page: the same 24 lines at every size. */
export function page(side: number): Promise<Buffer> {
  const lines = Array.from(
    { length: 24 },
    (_, index) => `<text x="60" y="${80 + index * 38}" font-size="22">${someWords(index, 12)}</text>`,
  );
  return renderSvg(`<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}" viewBox="0 0 1000 1000">
    <rect width="100%" height="100%" fill="#fff"/>${lines.join('')}</svg>`);
}

/** Draws an application window: lists, a table, a text, a chart, all with smoothed edges as on a screen. */
export function screenshot(width: number, height: number): Promise<Buffer> {
  const rows = Math.floor((height - 300) / 30);
  const text = (x: number, y: number, size: number, fill: string, content: string) =>
    `<text x="${x}" y="${y}" font-size="${size}" fill="${fill}">${escapeXml(content)}</text>`;
  const line = (index: number) => {
    const y = 150 + index * 30;
    const bar = 40 + ((index * 53) % 200);
    return `<rect x="260" y="${y - 20}" width="${width - 560}" height="30" fill="${index % 2 ? '#fff' : '#f4f6f8'}"/>
      ${text(30, y, 15, '#dde3ea', someWords(index, 3))}
      ${text(275, y, 14, '#1c2733', `${1000 + index * 37}  ${someWords(index + 3, 24)}`)}
      <rect x="${width - 280}" y="${y - 14}" width="${bar}" height="18" rx="3" fill="hsl(${200 + index * 4}, 60%, 55%)"/>`;
  };
  const curve = Array.from({ length: 60 }, (_, index) => {
    const x = 280 + (index * (width - 600)) / 60;
    return `${x.toFixed(1)},${(height - 90 + Math.sin(index / 5) * 40 + Math.sin(index * 1.7) * 12).toFixed(1)}`;
  });
  return renderSvg(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <linearGradient id="bar" x2="0" y2="1"><stop stop-color="#3b6ea5"/><stop offset="1" stop-color="#28507c"/></linearGradient>
    <rect width="100%" height="100%" fill="#fff"/>
    <rect width="240" height="100%" fill="#22303f"/>
    <rect width="100%" height="56" fill="url(#bar)"/>
    ${text(24, 37, 22, '#fff', 'Imagecrew — overview')}
    ${['File', 'Edit', 'View', 'Tools', 'Help'].map((item, index) => text(420 + index * 90, 36, 16, '#e8f0fa', item)).join('')}
    ${Array.from({ length: rows }, (_, index) => line(index)).join('')}
    <rect x="260" y="${height - 160}" width="${width - 560}" height="140" rx="8" fill="#eef3f9"/>
    <polyline points="${curve.join(' ')}" fill="none" stroke="#c2452d" stroke-width="2.5"/>
  </svg>`);
}

/** Draws large shapes with few colours and hard edges. */
export function drawing(width: number, height: number): Promise<Buffer> {
  const colours = ['#264653', '#2a9d8f', '#e9c46a', '#f4a261', '#e76f51'];
  const shapes = Array.from({ length: 40 }, (_, index) => {
    const fill = colours[index % colours.length];
    const x = (index * 197) % width;
    const y = (index * 113) % height;
    const size = 40 + ((index * 61) % 160);
    return index % 2
      ? `<circle cx="${x}" cy="${y}" r="${size / 2}" fill="${fill}"/>`
      : `<rect x="${x}" y="${y}" width="${size}" height="${size}" transform="rotate(${index * 9} ${x} ${y})" fill="${fill}"/>`;
  });
  return renderSvg(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="#fdf6e3"/>${shapes.join('')}</svg>`,
  );
}

/** Draws a sky: two slow gradients across each other. */
export function gradient(width: number, height: number): Promise<Buffer> {
  return renderSvg(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <linearGradient id="sky" x2="0.3" y2="1"><stop stop-color="#0b3d91"/><stop offset="0.6" stop-color="#7fb2e5"/><stop offset="1" stop-color="#fde2c0"/></linearGradient>
    <radialGradient id="sun" cx="0.75" cy="0.7" r="0.5"><stop stop-color="#fff3c4"/><stop offset="1" stop-color="#fff3c4" stop-opacity="0"/></radialGradient>
    <rect width="100%" height="100%" fill="url(#sky)"/><rect width="100%" height="100%" fill="url(#sun)"/></svg>`);
}

/** Decodes and computes once, so that later steps start from plain pixels. */
async function materialise(image: Sharp): Promise<Sharp> {
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  return sharp(data, { raw: { width: info.width, height: info.height, channels: info.channels } });
}

/**
 * Generates noise whose strength at each scale grows with its coarseness: the spectrum of natural images (D. J. Field,
 * 1987).
 */
async function generatePhotograph(): Promise<Buffer> {
  const width = 2000;
  const height = 1428;
  const random = randomBytes(12345);
  const sums = new Float32Array(width * height * 3);
  for (let cell = 512; cell >= 1; cell /= 2) {
    const across = Math.ceil(width / cell) + 1;
    const down = Math.ceil(height / cell) + 1;
    const octave = await sharp(random(across * down * 3), { raw: { width: across, height: down, channels: 3 } })
      .resize(width, height, { fit: 'fill', kernel: 'cubic' })
      .raw()
      .toBuffer();
    octave.forEach((value, index) => {
      sums[index]! += ((value - 128) * cell) / 1023;
    });
  }
  const pixels = Uint8ClampedArray.from(sums, (value) => 128 + value);
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
}

/** A linear congruential generator: the same bytes everywhere (constants of "Numerical Recipes", section 7.1). */
function randomBytes(seed: number): (count: number) => Uint8Array {
  let state = seed;
  return (count) =>
    Uint8Array.from({ length: count }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state >>> 24;
    });
}
