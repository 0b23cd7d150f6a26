/**
 * Sixty images of six classes, the same on every machine: photographs from the files next to the repository, and drawn
 * images.
 */
import sharp, { type Sharp } from 'sharp';
import { corpus } from '../test/support/corpus.ts';
import { escapeXml, renderSvg } from './svg.ts';

export const CLASSES = ['photograph', 'cut-out', 'screenshot', 'drawing', 'text', 'gradient'] as const;
export type ImageClass = (typeof CLASSES)[number];

export interface BenchImage {
  class: ImageClass;
  name: string;
  /** Red, green and blue of 8 bits. */
  data: Buffer;
  width: number;
  height: number;
}

/** Photographs are reduced to this size, which removes traces of their own compression. */
const WIDTH = 640;
const HEIGHT = 480;
const DRAWN_IMAGES = 10;

const PHOTOGRAPHS = [
  'faces/scikit-image--astronaut.png',
  'faces/scikit-image--chelsea.png',
  'faces/scikit-image--coffee.png',
  'faces/scikit-image--rocket.jpg',
  'faces/face_recognition--obama_and_biden.jpg',
  'faces/ulffd--imgs--1.jpg',
  'subject/rembg--animal-1.jpg',
  'subject/rembg--car-1.jpg',
  'subject/rembg--girl-3.jpg',
  'jpeg/exif-samples--canon_hdr_NO.jpg',
];
/** The first ones already have no background, the others are cut along an ellipse. */
const CUT_OUTS = [
  'subject/rembg--animal-1.out.png',
  'subject/rembg--car-1.out.png',
  'faces/scikit-image--astronaut.png',
  'faces/scikit-image--chelsea.png',
  'faces/scikit-image--coffee.png',
  'faces/face_recognition--biden.jpg',
  'subject/rembg--animal-3.jpg',
  'subject/rembg--car-2.jpg',
  'subject/rembg--girl-3.jpg',
  'jpeg/testdata--flower.png.im_q85_420_progr.jpg',
];

/** Returns the images of the classes whose files are there. */
export async function benchImages(): Promise<BenchImage[]> {
  const drawn = { screenshot, drawing, text, gradient };
  const files = [
    ...PHOTOGRAPHS.map((path) => ({ class: 'photograph' as const, path, open: photograph })),
    ...CUT_OUTS.map((path) => ({ class: 'cut-out' as const, path, open: cutOut })),
  ].filter(({ path }) => corpus(path));
  const opened = files.map(async ({ class: name, path, open }) => image(name, path, await open(corpus(path)!)));
  const made = Object.entries(drawn).flatMap(([name, draw]) =>
    Array.from({ length: DRAWN_IMAGES }, async (_, seed) =>
      image(name as ImageClass, `${name} ${seed}`, sharp(await renderSvg(svg(draw(seed))))),
    ),
  );
  return Promise.all([...opened, ...made]);
}

async function image(name: ImageClass, title: string, source: Sharp): Promise<BenchImage> {
  const { data, info } = await source
    .flatten({ background: '#fff' })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { class: name, name: title, data, width: info.width, height: info.height };
}

async function photograph(file: Uint8Array): Promise<Sharp> {
  return sharp(file).rotate().resize(WIDTH, HEIGHT, { fit: 'inside', kernel: 'lanczos3' });
}

async function cutOut(file: Uint8Array): Promise<Sharp> {
  const source = sharp(file).rotate().resize(WIDTH, HEIGHT, { fit: 'inside' }).ensureAlpha();
  const { hasAlpha } = await sharp(file).metadata();
  if (hasAlpha) return source;
  const { data, info } = await source.png().toBuffer({ resolveWithObject: true });
  const mask = `<svg xmlns="http://www.w3.org/2000/svg" width="${info.width}" height="${info.height}">
    <ellipse cx="50%" cy="50%" rx="40%" ry="45%" fill="#fff"/></svg>`;
  return sharp(
    await sharp(data)
      .composite([{ input: await renderSvg(mask), blend: 'dest-in' }])
      .png()
      .toBuffer(),
  );
}

const svg = (content: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}">${content}</svg>`;

const WORDS = 'const image await sharp input resize width format quality return error limit server worker pixels'.split(
  ' ',
);
const word = (index: number) => WORDS[index % WORDS.length] as string;
const words = (from: number, count: number) => Array.from({ length: count }, (_, index) => word(from * 7 + index * 3));
const hsl = (hue: number, saturation: number, light: number) => `hsl(${hue % 360}, ${saturation}%, ${light}%)`;

/** Half of the screenshots show program code with coloured words, half a table with buttons and a chart. */
function screenshot(seed: number): string {
  const isDark = seed % 4 < 2;
  const background = isDark ? hsl(210 + seed * 9, 20, 14) : '#fff';
  const plain = isDark ? '#d8dee9' : '#24292f';
  const frame = `<rect width="100%" height="100%" fill="${background}"/>
    <rect width="100%" height="30" fill="${hsl(seed * 47, 45, isDark ? 25 : 85)}"/>
    <text x="12" y="20" font-size="13" fill="${plain}">Imagecrew ${seed} - overview</text>`;
  return frame + (seed % 2 ? table(seed, plain) : code(seed, plain, isDark));
}

function code(seed: number, plain: string, isDark: boolean): string {
  const light = isDark ? 68 : 38;
  return Array.from({ length: 25 }, (_, line) => {
    const spans = words(line + seed, 5 + ((line * 5 + seed) % 5)).map((each, index) => {
      const colour = index % 3 === 0 ? hsl((index * 71 + seed * 31) % 360, 75, light) : plain;
      return `<tspan fill="${colour}">${escapeXml(each)} </tspan>`;
    });
    return `<text x="${20 + (line % 4) * 16}" y="${52 + line * 17}" font-size="13" font-family="monospace" xml:space="preserve">${spans.join('')}</text>`;
  }).join('');
}

function table(seed: number, plain: string): string {
  const rows = Array.from({ length: 14 }, (_, row) => {
    const y = 60 + row * 22;
    return `<text x="20" y="${y}" font-size="13" fill="${plain}">${words(row + seed, 4).join(' ')}</text>
      <text x="330" y="${y}" font-size="13" fill="${hsl(row % 2 ? 0 : 130, 70, 45)}">${row * 137 + seed}.${row}%</text>
      <rect x="420" y="${y - 12}" width="${40 + ((row * 53 + seed * 17) % 170)}" height="14" rx="3" fill="${hsl(seed * 40 + row * 25, 65, 55)}"/>`;
  });
  const points = Array.from(
    { length: 40 },
    (_, index) => `${20 + index * 15},${(420 + Math.sin(index / 4 + seed) * 35).toFixed(1)}`,
  );
  return `${rows.join('')}<polyline points="${points.join(' ')}" fill="none" stroke="${hsl(seed * 83, 80, 50)}" stroke-width="2"/>`;
}

/** Shapes in a few colours, half of the drawings with outlines. */
function drawing(seed: number): string {
  const shapes = Array.from({ length: 30 }, (_, index) => {
    const [x, y] = [(index * 197 + seed * 71) % WIDTH, (index * 113 + seed * 37) % HEIGHT];
    const size = 30 + ((index * 61 + seed * 13) % 140);
    const paint = `fill="${hsl(seed * 36 + (index % 6) * 60, 40 + ((seed * 11) % 55), 50)}" ${seed % 2 ? 'stroke="#111" stroke-width="3"' : ''}`;
    return index % 2
      ? `<circle cx="${x}" cy="${y}" r="${size / 2}" ${paint}/>`
      : `<rect x="${x}" y="${y}" width="${size}" height="${size}" transform="rotate(${index * 9} ${x} ${y})" ${paint}/>`;
  });
  return `<rect width="100%" height="100%" fill="${hsl(seed * 50, 30, 93)}"/>${shapes.join('')}`;
}

/** Pages of printed text; every second one is coloured. */
function text(seed: number): string {
  const isColoured = seed % 2 === 1;
  const size = 10 + seed * 2;
  const [back, front] = isColoured ? [hsl(seed * 40, 85, 45), hsl(seed * 40 + 180, 90, 60)] : ['#fff', '#111'];
  const lines = Array.from(
    { length: Math.floor(HEIGHT / (size * 1.5)) },
    (_, line) =>
      `<text x="15" y="${(line + 1) * size * 1.5}" font-size="${size}" fill="${front}">${words(line + seed, 18).join(' ')}</text>`,
  );
  return `<rect width="100%" height="100%" fill="${back}"/>${lines.join('')}`;
}

function gradient(seed: number): string {
  const stops = [0, 0.5, 1].map(
    (at, index) =>
      `<stop offset="${at}" stop-color="${hsl(seed * 36 + index * (20 + seed * 8), 70 - seed * 4, 25 + index * 25)}"/>`,
  );
  return `<linearGradient id="a" x2="${(seed % 5) / 4}" y2="1">${stops.join('')}</linearGradient>
    <radialGradient id="b" cx="${0.2 + seed / 14}" cy="0.7" r="0.5"><stop stop-color="#fff3c4"/><stop offset="1" stop-color="#fff3c4" stop-opacity="0"/></radialGradient>
    <rect width="100%" height="100%" fill="url(#a)"/><rect width="100%" height="100%" fill="url(#b)"/>`;
}
