/** A lake between mountains in the evening: soft gradients above, fine detail in the trees and on the water. */
import { randomNumbers } from './random.ts';

const WIDTH = 1500;
const HEIGHT = 1000;
const SHORE = 640;
const SUN = 1085;

/** From the far, light range to the near, dark one. */
const RANGES = [
  { base: 470, height: 210, color: '#8a8fb8', seed: 3 },
  { base: 530, height: 190, color: '#6a719f', seed: 8 },
  { base: 590, height: 150, color: '#474f7d', seed: 21 },
  { base: 625, height: 80, color: '#2c3459', seed: 34 },
] as const;

export function landscape(): string {
  const scene = `${RANGES.map(range).join('')}<rect y="560" width="${WIDTH}" height="${SHORE - 560}" fill="url(#mist)"/><rect y="${SHORE - 7}" width="${WIDTH}" height="9" fill="#101a30"/>${forest()}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}">
<defs>
<linearGradient id="sky" x1="0" y1="0" x2="0" y2="1">
<stop offset="0" stop-color="#27336b"/><stop offset=".38" stop-color="#8c6a9c"/><stop offset=".62" stop-color="#e8946d"/><stop offset=".8" stop-color="#fdd08a"/><stop offset="1" stop-color="#fff0c0"/>
</linearGradient>
<radialGradient id="glow"><stop offset="0" stop-color="#fffbe6"/><stop offset=".12" stop-color="#fff0b8" stop-opacity=".9"/><stop offset="1" stop-color="#ffd28a" stop-opacity="0"/></radialGradient>
<linearGradient id="mist" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#ffd9ae" stop-opacity="0"/><stop offset="1" stop-color="#ffd9ae" stop-opacity=".5"/></linearGradient>
<linearGradient id="water" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#20305c" stop-opacity=".1"/><stop offset="1" stop-color="#0d1530" stop-opacity=".85"/></linearGradient>
<filter id="grain" x="0" y="0" width="100%" height="100%"><feTurbulence type="fractalNoise" baseFrequency=".8" numOctaves="2" seed="4"/><feColorMatrix values="0 0 0 0 .5  0 0 0 0 .5  0 0 0 0 .5  .34 0 0 0 -.08"/></filter>
<filter id="soft" x="-5%" y="-50%" width="110%" height="200%"><feGaussianBlur stdDeviation="6 1.4"/></filter>
<g id="scene">
<rect width="${WIDTH}" height="${SHORE}" fill="url(#sky)"/>
<g filter="url(#soft)">${clouds()}</g>
<circle cx="${SUN}" cy="425" r="330" fill="url(#glow)"/><circle cx="${SUN}" cy="425" r="44" fill="#fffdf0"/>
${scene}
</g>
</defs>
<use xlink:href="#scene"/>
<g transform="translate(0 ${2 * SHORE}) scale(1 -1)"><use xlink:href="#scene"/></g>
<rect y="${SHORE}" width="${WIDTH}" height="${HEIGHT - SHORE}" fill="url(#water)"/>
${ripples()}
${reeds()}
<rect width="${WIDTH}" height="${HEIGHT}" filter="url(#grain)" opacity=".5"/>
</svg>`;
}

/** A ridge by midpoint displacement. */
function range({ base, height, color, seed }: (typeof RANGES)[number]): string {
  const random = randomNumbers(seed);
  let points = [base - height * random(), base - height * random(), base - height * random()];
  for (let spread = height * 0.62; points.length < 500; spread *= 0.54)
    points = points.flatMap((y, index) => {
      const next = points[index + 1];
      return next === undefined ? [y] : [y, (y + next) / 2 + (random() - 0.5) * spread];
    });
  const step = WIDTH / (points.length - 1);
  const line = points.map((y, index) => `${(index * step).toFixed(1)},${Math.min(SHORE, y).toFixed(1)}`);
  return `<polygon fill="${color}" points="0,${SHORE} ${line.join(' ')} ${WIDTH},${SHORE}"/>`;
}

function clouds(): string {
  const random = randomNumbers(77);
  return Array.from({ length: 46 }, () => {
    const y = 90 + 300 * random();
    const width = 90 + 330 * random();
    const tint = y > 240 ? '#ffd9a8' : '#c58fa6';
    return `<ellipse cx="${(WIDTH * random()).toFixed(0)}" cy="${y.toFixed(0)}" rx="${width.toFixed(0)}" ry="${(3 + 9 * random()).toFixed(1)}" fill="${tint}" opacity="${(0.1 + 0.22 * random()).toFixed(2)}"/>`;
  }).join('');
}

function forest(): string {
  const random = randomNumbers(5);
  return Array.from({ length: 260 }, () => {
    const x = WIDTH * random();
    // No trees around the sun.
    const nearness = Math.abs(x - SUN) / WIDTH;
    return fir(x, SHORE + 3, 24 + 110 * nearness * (0.4 + 0.6 * random()) + 16 * random(), random);
  }).join('');
}

function fir(x: number, foot: number, height: number, random: () => number): string {
  const tiers = Math.max(5, Math.round(height / 6));
  const points = [`${x.toFixed(1)},${(foot - height).toFixed(1)}`];
  const side = (direction: 1 | -1, order: number[]) => {
    for (const tier of order) {
      const y = foot - height + (height * tier) / tiers;
      const reach = (0.22 * height * tier) / tiers;
      points.push(`${(x + direction * reach * (0.8 + 0.4 * random())).toFixed(1)},${y.toFixed(1)}`);
      points.push(`${(x + direction * reach * 0.45).toFixed(1)},${(y - 1.5).toFixed(1)}`);
    }
  };
  const order = Array.from({ length: tiers }, (_, index) => index + 1);
  side(1, order);
  side(-1, order.reverse());
  const shade = ['#101a30', '#16223d', '#0b1426', '#1b2947'][Math.floor(4 * random())];
  return `<polygon fill="${shade}" points="${points.join(' ')}"/>`;
}

function ripples(): string {
  const random = randomNumbers(11);
  return Array.from({ length: 620 }, () => {
    const depth = random() ** 1.4;
    const y = SHORE + 6 + depth * (HEIGHT - SHORE);
    const isInSun = random() < 0.42;
    const x = isInSun ? SUN + (random() - 0.5) * (90 + 260 * depth) : WIDTH * random();
    const width = 5 + 46 * depth * random();
    const fill = isInSun ? '#ffe3ac' : random() < 0.5 ? '#0b1430' : '#a992b4';
    return `<ellipse cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" rx="${width.toFixed(1)}" ry="${(0.6 + 1.8 * depth).toFixed(1)}" fill="${fill}" opacity="${(0.12 + 0.4 * random()).toFixed(2)}"/>`;
  }).join('');
}

function reeds(): string {
  const random = randomNumbers(42);
  return Array.from({ length: 190 }, () => {
    const isLeft = random() < 0.66;
    const x = isLeft ? 480 * random() ** 1.5 : WIDTH - 300 * random() ** 1.7;
    const height = 60 + 230 * random() * (isLeft ? 1 - x / 640 : (x - 1100) / 400);
    const lean = (random() - 0.4) * 50;
    const color = ['#0a0f1c', '#141a26', '#2a2420', '#3b2c1f'][Math.floor(4 * random())];
    return `<path d="M${x.toFixed(1)} ${HEIGHT} q${(lean / 4).toFixed(1)} ${(-height / 2).toFixed(1)} ${lean.toFixed(1)} ${(-height).toFixed(1)}" fill="none" stroke="${color}" stroke-width="${(1.2 + 2.6 * random()).toFixed(1)}" stroke-linecap="round"/>`;
  }).join('');
}
