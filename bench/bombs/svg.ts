/** SVG: entities and references that multiply, huge filters, nested images. */
import { gzipSync } from 'node:zlib';
import { type Bomb, bombs } from './bomb.ts';
import { gzipZeros, text } from './bytes.ts';
import { blankPng } from './png.ts';

const svg = (content: string, size = 'width="1000" height="1000"', prolog = ''): Buffer =>
  text(
    `${prolog}<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${size}>${content}</svg>`,
  );

const times = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => make(index)).join('');

const LEVELS = 12;

function entities(): Buffer {
  const declared = times(LEVELS, (level) => `<!ENTITY e${level + 1} "${times(10, () => `&e${level};`)}">`);
  const doctype = `<!DOCTYPE svg [<!ENTITY e0 "xxxxxxxxxx">${declared}]>`;
  return svg(`<text y="20">&e${LEVELS};</text>`, undefined, doctype);
}

const uses = (levels: number): Buffer =>
  svg(
    `<defs><rect id="u0" width="9" height="9"/>${times(levels, (level) => `<g id="u${level + 1}">${times(10, () => `<use xlink:href="#u${level}"/>`)}</g>`)}</defs><use xlink:href="#u${levels}"/>`,
  );

const patterns = (levels: number): Buffer =>
  svg(
    `<defs><pattern id="p0" width="1" height="1" patternUnits="userSpaceOnUse"><path d="M0 0h.5v.5z"/></pattern>${times(levels, (level) => `<pattern id="p${level + 1}" width="${level + 2}" height="${level + 2}" patternUnits="userSpaceOnUse">${times(10, () => `<rect width="100" height="100" fill="url(#p${level})"/>`)}</pattern>`)}</defs><rect width="1000" height="1000" fill="url(#p${levels})"/>`,
  );

const nesting = (name: string, levels: number): Buffer =>
  svg(
    `<defs>${times(levels, (level) => `<${name} id="m${level + 1}">${times(8, () => `<rect width="999" height="999" ${level === 0 ? '' : name === 'mask' ? `mask="url(#m${level})"` : `clip-path="url(#m${level})"`}/>`)}</${name}>`)}</defs><rect width="1000" height="1000" ${name === 'mask' ? 'mask' : 'clip-path'}="url(#m${levels})"/>`,
  );

const filtered = (primitives: string, size?: string): Buffer =>
  svg(
    `<filter id="f" x="0" y="0" width="1" height="1">${primitives}</filter><rect width="100%" height="100%" fill="teal" filter="url(#f)"/>`,
    size,
  );

const LARGE = 'width="8000" height="8000"';
const embedded = (file: Uint8Array, type: string): string =>
  `data:${type};base64,${Buffer.from(file).toString('base64')}`;
const image = (href: string): string => `<image width="1000" height="1000" xlink:href="${href}"/>`;

function nestedImages(levels: number): Buffer {
  let inner = svg('<rect width="1000" height="1000"/>');
  for (let level = 0; level < levels; level++) inner = svg(image(embedded(inner, 'image/svg+xml')).repeat(2));
  return inner;
}

export const SVG_BOMBS: readonly Bomb[] = bombs('svg', 'svg', {
  'entities of entities': entities,
  'entity of itself': () => svg('<text>&a;</text>', undefined, '<!DOCTYPE svg [<!ENTITY a "&b;"><!ENTITY b "&a;">]>'),
  'use of uses, 10^9 rectangles': () => uses(9),
  'use of uses, 10^5 rectangles': () => uses(5),
  'use of itself': () => svg('<g id="a"><use xlink:href="#a"/></g><use xlink:href="#a"/>'),
  'patterns of patterns': () => patterns(8),
  'masks of masks': () => nesting('mask', 8),
  'clip paths of clip paths': () => nesting('clipPath', 8),
  'convolution by a kernel of 200 x 200': () =>
    filtered(`<feConvolveMatrix order="200" kernelMatrix="${'1 '.repeat(40_000)}"/>`),
  '300 turbulences of 255 octaves': () => filtered('<feTurbulence baseFrequency="0.5" numOctaves="255"/>'.repeat(300)),
  'turbulence of 1,000,000 octaves on 8000 x 8000': () =>
    filtered('<feTurbulence baseFrequency="0.5" numOctaves="1000000"/>', LARGE),
  'dilation by 4,000 pixels on 8000 x 8000': () => filtered('<feMorphology operator="dilate" radius="4000"/>', LARGE),
  '500 dilations': () => filtered('<feMorphology operator="dilate" radius="100"/>'.repeat(500)),
  '500 blurs by 500 pixels': () => filtered('<feGaussianBlur stdDeviation="500"/>'.repeat(500)),
  '500 lights': () =>
    filtered(
      '<feDiffuseLighting lighting-color="white"><fePointLight x="50" y="60" z="200"/></feDiffuseLighting>'.repeat(500),
    ),
  'blur by 100,000 pixels on 8000 x 8000': () => filtered('<feGaussianBlur stdDeviation="100000"/>', LARGE),
  '20,000 groups with a filter': () =>
    svg(
      `<filter id="f"><feGaussianBlur stdDeviation="20"/></filter>${'<rect width="1000" height="1000" filter="url(#f)"/>'.repeat(20_000)}`,
    ),
  '100,000 see-through rectangles': () =>
    svg('<g opacity=".5"><rect width="1000" height="1000" opacity=".5"/></g>'.repeat(100_000)),
  '200,000 nested groups': () =>
    svg(`${'<g opacity=".9">'.repeat(200_000)}<rect width="9" height="9"/>${'</g>'.repeat(200_000)}`),
  '2,000 nested groups with opacity': () =>
    svg(`${'<g opacity=".9">'.repeat(2000)}<rect width="900" height="900"/>${'</g>'.repeat(2000)}`),
  'size of 1,000,000 x 1,000,000': () => svg('<rect width="10" height="10"/>', 'width="1000000" height="1000000"'),
  'size of 1e30 x 1e30': () => svg('<rect width="10" height="10"/>', 'width="1e30" height="1e30"'),
  'view box of 1e-30': () =>
    svg('<rect width="10" height="10"/>', 'viewBox="0 0 1e-30 1e-30" width="9000" height="9000"'),
  'path of 2,000,000 points': () => svg(`<path stroke="red" d="M0 0${'L9 9L900 1'.repeat(500_000)}"/>`),
  'dashes of 0.0001 pixels': () => svg('<path d="M0 0H1000000" stroke="red" stroke-dasharray="0.0001 0.0001"/>'),
  'stroke dashed 1,000 times': () =>
    svg(
      '<circle r="400" cx="500" cy="500" stroke="red" fill="none" stroke-width="300" stroke-dasharray="0.01"/>'.repeat(
        1000,
      ),
    ),
  '100 images of 9999 x 9999': () =>
    svg(
      `<defs><image id="i" width="1000" height="1000" xlink:href="${embedded(blankPng({ width: 9999, height: 9999 }), 'image/png')}"/></defs>${'<use xlink:href="#i"/>'.repeat(100)}`,
    ),
  'documents in documents, 2^8': () => nestedImages(8),
  'text of 1,000,000 letters': () => svg(`<text y="20">${'x'.repeat(1_000_000)}</text>`),
  '100,000 gradients of gradients': () =>
    svg(
      `<linearGradient id="g0"/>${times(100_000, (index) => `<linearGradient id="g${index + 1}" xlink:href="#g${index}"/>`)}<rect width="99" height="99" fill="url(#g100000)"/>`,
    ),
  '200,000 style rules': () =>
    svg(`<style>${times(200_000, (index) => `.a${index} rect{fill:red}`)}</style>${'<rect class="a1"/>'.repeat(2000)}`),
  '20,000 attributes': () => svg(`<rect ${times(20_000, (index) => `a${index}="1" `)}/>`),
  'gzipped, inflates to 1 GB': () => Buffer.concat([gzipSync(svg('<rect/>')), gzipZeros(2 ** 30)]),
  'gzipped, 100 MB of spaces': () =>
    gzipSync(
      Buffer.concat([
        text('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">'),
        Buffer.alloc(1e8, ' '),
        text('</svg>'),
      ]),
      { level: 1 },
    ),
  'valid, 8000 x 8000': () => svg('<rect width="8000" height="8000" fill="teal"/>', LARGE),
});
