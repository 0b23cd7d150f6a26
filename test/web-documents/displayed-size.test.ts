import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { evaluateSizes, matchesMedia, VIEWS } from '../../web-documents/media.ts';
import type { DisplayedSource } from '../../web-documents/reading.ts';
import { readHtml } from './documents.ts';

/** Media queries, and whether they hold on a phone (412 x 823 at 1.75) and on a desktop (1350 x 940 at 1). */
const MEDIA: readonly (readonly [media: string, phone: boolean | undefined, desk: boolean | undefined])[] = [
  ['', true, true],
  ['all', true, true],
  ['screen', true, true],
  ['print', false, false],
  ['not print', true, true],
  ['only screen', true, true],
  ['(max-width: 600px)', true, false],
  ['(MAX-WIDTH:600PX)', true, false],
  ['(min-width: 412px)', true, true],
  ['(min-width: 412.5px)', false, true],
  ['(min-width: 25.75em)', true, true],
  ['(min-width: 26rem)', false, true],
  ['screen and (min-width: 600px)', false, true],
  ['not screen and (min-width: 600px)', true, false],
  ['(min-width: 300px) and (max-width: 600px)', true, false],
  ['(max-width: 300px) or (min-width: 1000px)', false, true],
  ['(not (min-width: 600px))', true, false],
  ['not (min-width: 600px)', true, false],
  ['((min-width: 300px) and (max-width: 600px)) or (width: 1350px)', true, true],
  ['(width >= 600px)', false, true],
  ['(600px<=width)', false, true],
  ['(400px <= width < 600px)', true, false],
  ['(width = 412px)', true, false],
  ['(width > calc(400px + 12px))', false, true],
  ['(width)', true, true],
  ['(orientation: portrait)', true, false],
  ['(min-aspect-ratio: 1/1)', false, true],
  ['(min-resolution: 1.5dppx)', true, false],
  ['(min-resolution: 144dpi)', true, false],
  ['(-webkit-min-device-pixel-ratio: 1.5)', true, false],
  ['print, (max-width: 600px)', true, false],
  ['(hover: hover)', undefined, undefined],
  ['(hover)', undefined, undefined],
  ['(prefers-color-scheme: dark) and (max-width: 600px)', undefined, false],
  ['(prefers-color-scheme: dark) or (max-width: 600px)', true, undefined],
  ['not (prefers-color-scheme: dark)', undefined, undefined],
  ['selector(a)', undefined, undefined],
  ['(foo(bar))', false, false],
  ['(min-width: 1foo)', false, false],
  ['(min-width', false, false],
  ['max-width: 600px', false, false],
  ['(max-width: 600px) and (min-width: 1px) or (width: 1px)', false, false],
  ['1px', false, false],
  ['%', false, false],
];

/** Values of `sizes`, and the CSS pixels that they give on the phone and on the desktop. */
const SIZES: readonly (readonly [sizes: string, phone: number | undefined, desk: number | undefined])[] = [
  ['100vw', 412, 1350],
  ['50vw', 206, 675],
  ['300px', 300, 300],
  ['20em', 320, 320],
  ['10rem', 160, 160],
  ['1in', 96, 96],
  ['0', 0, 0],
  ['50vmin', 206, 470],
  ['100dvw', 412, 1350],
  ['(max-width: 600px) 100vw, 300px', 412, 300],
  ['(max-width: 600px) 100vw, (min-width: 1000px) 50vw, 300px', 412, 675],
  ['(max-width: 600px) calc(100vw - 32px), 300px', 380, 300],
  ['calc(100vw/3)', 412 / 3, 450],
  ['calc((100vw - 2 * 10px) / 2)', 196, 665],
  ['min(100vw, 640px)', 412, 640],
  ['max(50vw, 300px)', 300, 675],
  ['clamp(320px, 50vw, 600px)', 320, 600],
  ['min(600px, calc(100vw - 10px))', 402, 600],
  ['(min-width: 30em) and (max-width: 100em) 40vw, 90vw', 370.8, 540],
  ['auto, (max-width: 600px) 100vw, 300px', 412, 300],
  ['auto', undefined, undefined],
  ['', 412, 1350],
  ['banana', 412, 1350],
  ['-1px', 412, 1350],
  ['300', 412, 1350],
  ['50%', 412, 1350],
  ['(max-width: 600px) banana, 300px', 300, 300],
  ['(hover: hover) 100px, 300px', 300, 300],
  ['calc(100vw + 1), 300px', 300, 300],
  ['calc(1px * 1px), 300px', 300, 300],
  ['foo(1px), 300px', 300, 300],
  [`${'calc('.repeat(100)}1px${')'.repeat(100)}, 300px`, 300, 300],
  [' '.repeat(3000), undefined, undefined],
];

const [PHONE, DESK] = VIEWS;

describe('a media query', () => {
  for (const [media, phone, desk] of MEDIA)
    it(`${JSON.stringify(media)} is ${phone} on a phone and ${desk} on a desk`, () => {
      assert.deepEqual([matchesMedia(media, PHONE!), matchesMedia(media, DESK!)], [phone, desk]);
    });
});

describe('a sizes attribute', () => {
  for (const [sizes, phone, desk] of SIZES)
    it(`${JSON.stringify(sizes.slice(0, 80))} is ${phone} on a phone and ${desk} on a desk`, () => {
      const rounded = (size: number | undefined) => size && Math.round(size * 1000) / 1000;
      assert.deepEqual(
        VIEWS.map((view) => rounded(evaluateSizes(sizes, view))),
        [rounded(phone), rounded(desk)],
      );
    });
});

/** Markup and the displayed size of its references: width, height, source of the size. */
const DISPLAYED: readonly (readonly [
  html: string,
  ...displayed: (readonly [number | null, number | null, DisplayedSource])[],
])[] = [
  ['<img src=a>', [null, null, 'unknown']],
  ['<img src=a width=600 height=400>', [600, 400, 'attribute']],
  ['<img src=a width=600>', [600, null, 'attribute']],
  ['<img src=a height="400.4px">', [null, 400, 'attribute']],
  ['<img src=a width="100%" height=50%>', [null, null, 'unknown']],
  ['<img src=a width=0>', [null, null, 'unknown']],
  ['<img src=a width=auto>', [null, null, 'unknown']],
  ['<img src=a width=600 style="width:300px">', [600, null, 'attribute']],
  ['<img src=a style="border:0; WIDTH : 300.5px;height:200px !important">', [301, 200, 'style']],
  ['<img src=a style="max-width:300px;height:50%">', [null, null, 'unknown']],
  ['<img width=300 height=200 srcset="a, b 2x">', [300, 200, 'attribute'], [600, 400, 'attribute']],
  [
    '<img sizes="(max-width: 600px) 100vw, 300px" srcset="a 500w, b 1000w">',
    [500, null, 'sizes'],
    [721, null, 'sizes'],
  ],
  ['<img src=c sizes=50vw srcset="a 500w, b 1000w">', [675, null, 'sizes'], [500, null, 'sizes'], [675, null, 'sizes']],
  [
    '<img width=1000 height=500 sizes=50vw srcset="a 500w, b 2000w">',
    [500, 250, 'attribute'],
    [1000, 500, 'attribute'],
  ],
  [
    '<img src=c srcset="a 500w, b 1000w">',
    [1000, null, 'descriptor'],
    [500, null, 'descriptor'],
    [1000, null, 'descriptor'],
  ],
  ['<img sizes=50vw srcset="a, b 2x">', [null, null, 'unknown'], [null, null, 'unknown']],
  ['<img src=a sizes=50vw>', [null, null, 'unknown']],
  [
    '<picture><source media="(max-width: 600px)" srcset="a 2000w" sizes=100vw><img src=b></picture>',
    [721, null, 'sizes'],
    [null, null, 'unknown'],
  ],
  [
    '<picture><source media="(min-width: 5000px)" srcset="a 2000w" sizes=100vw><img src=b></picture>',
    [1350, null, 'sizes'],
    [null, null, 'unknown'],
  ],
  [
    '<picture><source media="(max-width: 600px)" srcset=a><source srcset=b><img src=c width=824 height=400></picture>',
    [721, 350, 'attribute'],
    [824, 400, 'attribute'],
    [824, 400, 'attribute'],
  ],
  [
    '<picture><source srcset=a width=100 height=50><img src=b width=200 height=100></picture>',
    [100, 50, 'attribute'],
    [200, 100, 'attribute'],
  ],
  ['<picture><source srcset="a 700w"></picture>', [700, null, 'descriptor']],
  ['<img data-src=a.png width=100>', [100, null, 'attribute']],
  ['<img data-srcset="a.png 2000w" data-sizes="50vw">', [675, null, 'sizes']],
  ['<div style="width:100px" data-bg=a.png>', [null, null, 'unknown']],
  ['<video poster=a width=640 height=360>', [640, 360, 'attribute']],
  ['<amp-img src=a width=100 height=50>', [100, 50, 'attribute']],
  ['<amp-img src=a width=100 height=50 layout=responsive>', [null, null, 'unknown']],
  ['<svg><image href=a width=100 height=50 /></svg>', [null, null, 'unknown']],
  ['<link rel=preload as=image imagesrcset="a 2000w" imagesizes=50vw>', [675, null, 'sizes']],
];

describe('the displayed size', () => {
  for (const [html, ...displayed] of DISPLAYED)
    it(`of ${html}`, () => {
      assert.deepEqual(
        readHtml(html).references.map(({ displayedWidth, displayedHeight, displayedSource }) => [
          displayedWidth,
          displayedHeight,
          displayedSource,
        ]),
        displayed,
      );
    });

  it('is reported with what the attributes declare', () => {
    const [reference] = readHtml('<img src=a width="600px" height="50%">').references;
    assert.deepEqual([reference!.declaredWidth, reference!.declaredHeight], [600, null]);
  });
});
