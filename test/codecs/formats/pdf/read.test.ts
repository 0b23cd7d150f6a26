import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Failure } from '../../../../base/failure.ts';
import type { Bitmap } from '../../../../codecs/bitmap.ts';
import type { ReaderContext } from '../../../../codecs/format-reader.ts';
import { withPdfium } from '../../../../codecs/formats/pdf/pdfium.ts';
import { pdfReader } from '../../../../codecs/formats/pdf/read.ts';
import { encodePdf } from '../../../../codecs/formats/pdf/write.ts';
import { wasmMemoryBytes } from '../../../../codecs/memory.ts';
import { corpus, corpusSkipReason } from '../../../support/corpus.ts';
import { damaged, TRIED_PART } from '../../../support/damage.ts';
import { failureOf } from '../../../support/failure.ts';
import { greyCells, greyDistance } from '../../../support/grey-cells.ts';
import { nightlyOnly } from '../../../support/nightly.ts';
import { encrypted, onePage, pdf } from './file.ts';

const MAX_PIXELS = 10_000_000;
const context = {} as ReaderContext;

const probe = async (file: Uint8Array, page = 1) => pdfReader.probe(file, { page, extension: 'pdf' }, context);

async function decode(file: Uint8Array, { page = 1, scale = 1, maxPixels = MAX_PIXELS } = {}): Promise<Bitmap> {
  const content = await pdfReader.decode(file, { page, extension: 'pdf', scale, maxPixels }, context);
  assert.ok('bitmap' in content);
  return content.bitmap;
}

const sizeOf = ({ width, height }: { width: number; height: number }) => [width, height];

function colourAt({ data, width, height, channels }: Bitmap, x: number, y: number): string {
  const at = (Math.floor(y * height) * width + Math.floor(x * width)) * channels;
  return Buffer.from(data.subarray(at, at + channels) as Uint8Array).toString('hex');
}

const RED = 'ff0000';
const WHITE = 'ffffff';
const BLUE = '0000ff';

/** Returns the colours near the corners: upper left, upper right, lower right, lower left. */
const corners = (bitmap: Bitmap) =>
  [
    [0.1, 0.1],
    [0.9, 0.1],
    [0.9, 0.9],
    [0.1, 0.9],
  ].map(([x, y]) => colourAt(bitmap, x!, y!));

describe('the size of a page', () => {
  const pixels = async (entries: string) => sizeOf(await probe(onePage(entries)));

  test('is its size at 150 dpi', async () => {
    assert.deepEqual(await pixels('/MediaBox [0 0 612 792]'), [1275, 1650]);
    assert.deepEqual(await pixels('/MediaBox [-72 -36 72 36]'), [300, 150]);
  });

  test('rounds a part of a pixel up, but not a rounding error', async () => {
    assert.deepEqual(await pixels('/MediaBox [0 0 595.28 841.89]'), [1241, 1754]);
    assert.deepEqual(await pixels('/MediaBox [0 0 612.0001 791.9999]'), [1275, 1650]);
    assert.deepEqual(await pixels('/MediaBox [0 0 0.1 0.1]'), [1, 1]);
  });

  test('is that of the rotated crop box', async () => {
    const box = '/MediaBox [0 0 612 792] /CropBox [72 72 216 144]';
    assert.deepEqual(await pixels(box), [300, 150]);
    assert.deepEqual(await pixels(`${box} /Rotate 90`), [150, 300]);
    assert.deepEqual(await pixels(`${box} /Rotate 180`), [300, 150]);
  });

  test('is a letter page if the file has none', async () => {
    assert.deepEqual(await pixels(''), [1275, 1650]);
  });

  test('is rejected before it is drawn if it is too large', async () => {
    const giant = onePage('/MediaBox [0 0 100000000 100000000]');
    const { width } = await probe(giant);
    assert.ok(width > 2e8);
    await failureOf('image_too_large', () => decode(giant));
    const letter = onePage('/MediaBox [0 0 612 792]');
    await failureOf('image_too_large', () => decode(letter, { maxPixels: 1275 * 1650 - 1 }));
    await decode(letter, { maxPixels: 1275 * 1650 });
  });
});

describe('a page', () => {
  test('is drawn upright on a white background', async () => {
    const drawn = async (entries: string) => corners(await decode(onePage(`/MediaBox [0 0 100 100] ${entries}`)));
    assert.deepEqual(await drawn(''), [WHITE, WHITE, WHITE, RED]);
    assert.deepEqual(await drawn('/Rotate 90'), [RED, WHITE, WHITE, WHITE]);
    assert.deepEqual(await drawn('/Rotate -90'), [WHITE, WHITE, RED, WHITE]);
    assert.deepEqual(await drawn('/CropBox [0 0 40 40]'), [RED, RED, RED, RED]);
  });

  test('has the size that the probe and the scale give', async () => {
    const file = onePage('/MediaBox [0 0 100 60.3]');
    assert.deepEqual(sizeOf(await probe(file)), [209, 126]);
    for (const [scale, size] of [
      [1, [209, 126]],
      [0.5, [105, 63]],
      [2, [418, 252]],
      [0.0001, [1, 1]],
    ] as const) {
      const bitmap = await decode(file, { scale });
      assert.deepEqual(sizeOf(bitmap), size, `${scale}`);
      assert.equal(bitmap.data.length, bitmap.width * bitmap.height * 3);
      assert.deepEqual(bitmap.density, { x: 150 * scale, y: 150 * scale });
    }
    const large = await decode(file, { scale: 2 });
    assert.deepEqual(corners(large), [WHITE, WHITE, WHITE, RED]);
  });

  test('is drawn in strips without a visible seam when it is large', async () => {
    const triangle = onePage('/MediaBox [0 0 1200 1200]', { content: '1 0 0 rg 0 0 m 1200 0 l 0 1200 l f' });
    const { data, width, height } = await decode(triangle, { scale: 2, maxPixels: 25_000_000 });
    assert.deepEqual([width, height], [5000, 5000]);
    for (let y = 0; y < height; y++) {
      // The diagonal must be continuous: it leaves each row where it enters the next.
      const greens = [y - 2, y + 2].map((x) => data[(y * width + Math.max(0, Math.min(x, width - 1))) * 3 + 1]);
      assert.deepEqual(greens, [y < 2 ? greens[0] : 0, y > height - 3 ? greens[1] : 255], `row ${y}`);
    }
  });

  test('shows its annotations', async () => {
    const file = onePage('/MediaBox [0 0 100 100] /Annots [5 0 R]', {
      more: [
        '<< /Type /Annot /Subtype /Square /Rect [60 60 100 100] /F 4 /AP << /N 6 0 R >> >>',
        { entries: '/Type /XObject /Subtype /Form /BBox [0 0 40 40]', data: '0 0 1 rg 0 0 40 40 re f' },
      ],
    });
    assert.deepEqual(corners(await decode(file)), [WHITE, BLUE, WHITE, RED]);
  });

  test('shows the filled fields of its form', async () => {
    const more = [
      '<< /Type /Annot /Subtype /Widget /FT /Tx /T (a) /Rect [60 60 100 100] /F 4 /AP << /N 6 0 R >> >>',
      { entries: '/Type /XObject /Subtype /Form /BBox [0 0 40 40]', data: '0 0 1 rg 0 0 40 40 re f' },
    ];
    const entries = '/MediaBox [0 0 100 100] /Annots [5 0 R]';
    const catalogue = '/AcroForm << /Fields [5 0 R] >> /OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >>';
    for (const scale of [1, 25]) {
      const bitmap = await decode(onePage(entries, { more, catalogue }), { scale, maxPixels: 30_000_000 });
      assert.deepEqual(corners(bitmap), [WHITE, BLUE, WHITE, RED]);
    }
  });

  test('can be read when our own encoder wrote it', async () => {
    const jpeg = Buffer.from(JPEG, 'base64');
    const file = encodePdf({ jpeg, width: 16, height: 8, components: 3, density: { x: 150, y: 150 } });
    const bitmap = await decode(file);
    assert.deepEqual(sizeOf(bitmap), [16, 8]);
    assert.equal(colourAt(bitmap, 0.5, 0.5), 'fe0000');
  });
});

/** A JPEG of 16 x 8 red pixels. */
const JPEG =
  '/9j/2wBDAAYEBQYFBAYGBQYHBwYIChAKCgkJChQODwwQFxQYGBcUFhYaHSUfGhsjHBYWICwgIyYnKSopGR8tMC0oMCUoKSj/2wBDAQcHBwoIChMKChMoGhYaKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCj/wAARCAAIABADASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAf/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFQEBAQAAAAAAAAAAAAAAAAAABgj/xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oADAMBAAIRAxEAPwCdABykX//Z';

test('counts pages and reads the requested one', async () => {
  const page = (side: number) => `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${side} ${side}] >>`;
  const file = pdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R 4 0 R 5 0 R] /Count 3 >>',
    page(72),
    page(144),
    page(216),
  ]);
  for (const [number, pixels] of [
    [1, 150],
    [2, 300],
    [3, 450],
  ] as const) {
    assert.deepEqual(await probe(file, number), {
      width: pixels,
      height: pixels,
      pages: 3,
      depth: 8,
      hasAlpha: false,
    });
    assert.equal((await decode(file, { page: number })).width, pixels);
  }
  for (const ask of [probe(file, 4), decode(file, { page: 4 })]) {
    const { message } = await failureOf('page_out_of_range', () => ask);
    assert.equal(message, 'Expected a page from 1 to 3 for page but received 4.');
  }
});

describe('an encrypted file', () => {
  const box = '/MediaBox [0 0 100 100]';

  test('can be opened if its password is empty', async () => {
    assert.deepEqual(corners(await decode(onePage(box, encrypted('')))), [WHITE, WHITE, WHITE, RED]);
  });

  test('is rejected if its password is not empty', async () => {
    const file = onePage(box, encrypted('secret'));
    for (const ask of [probe(file), decode(file)]) {
      const { message, status } = await failureOf('password_protected', () => ask);
      assert.equal(status, 422);
      assert.equal(message, 'Expected a PDF without a password for image but received one that is protected.');
    }
  });
});

describe('a hostile file', () => {
  test('with a circular page tree is read in bounded time', async () => {
    const catalogue = '<< /Type /Catalog /Pages 2 0 R >>';
    await failureOf('corrupt_image', () => probe(pdf([catalogue, '<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 5 >>'])));
    await failureOf('corrupt_image', () => probe(pdf([catalogue, '<< /Type /Pages /Kids [] /Count 0 >>'])));
    const { pages } = await probe(
      pdf([
        catalogue,
        '<< /Type /Pages /Kids [3 0 R] /Count 2000000000 /Parent 3 0 R >>',
        '<< /Type /Page /Parent 2 0 R >>',
      ]),
    );
    assert.equal(pages, 1);
  });

  test('is drawn as far as it can be parsed', async () => {
    const nested = onePage('/MediaBox [0 0 100 100]', { content: `1 0 0 rg 0 0 50 50 re f ${'['.repeat(500_000)}` });
    assert.deepEqual(corners(await decode(nested)), [WHITE, WHITE, WHITE, RED]);
  });

  test('gets no more memory than the limit', async () => {
    const { before, address, after } = await withPdfium((pdfium) => ({
      before: pdfium.HEAPU8.length,
      address: pdfium.wasmExports.malloc(2 ** 30),
      after: pdfium.HEAPU8.length,
    }));
    assert.deepEqual([address, after], [0, before]);
  });

  test('that traps is followed by a new PDFium instance', async () => {
    const engine = () => withPdfium((pdfium) => pdfium);
    const first = await engine();
    assert.equal(await engine(), first);
    await failureOf('corrupt_image', () =>
      withPdfium(() => {
        throw new WebAssembly.RuntimeError('unreachable');
      }),
    );
    assert.notEqual(await engine(), first);
    await decode(onePage(''));
  });

  test('leaves no memory allocated, however it ends', { skip: nightlyOnly }, async () => {
    // The file has a large object and a large content stream.
    const good = onePage(`/MediaBox [0 0 100 100] /Large [${'0 '.repeat(50_000)}]`, {
      catalogue: '/AcroForm << /Fields [] >>',
      content: '0 0 1 1 re f '.repeat(5000),
    });
    const rounds = async () => {
      for (let round = 0; round < 8; round++) {
        await decode(good);
        await failureOf('image_too_large', () => decode(good, { maxPixels: 1 }));
        await failureOf('page_out_of_range', () => probe(good, 2));
        await failureOf('corrupt_image', () => probe(new Uint8Array(10_000).fill(0x25)));
      }
      return withPdfium(({ HEAPU8 }) => HEAPU8.length);
    };
    assert.equal(await rounds(), await rounds());
  });

  test('throws nothing but a Failure', async () => {
    const files = [
      onePage('/MediaBox [0 0 20 20]', encrypted('')),
      onePage('/MediaBox [0 0 20 20] /Annots [5 0 R] /Resources << /Font << /F 6 0 R >> >>', {
        content: 'BT /F 9 Tf 2 2 Td (Hi) Tj ET /DeviceCMYK cs 0 1 0 0 sc 0 0 9 9 re f',
        more: ['<< /Subtype /Link /Rect [0 0 9 9] /Border [0 0 1] >>', '<< /Subtype /Type1 /BaseFont /Times-Roman >>'],
      }),
    ];
    const outcomes = { drawn: 0, refused: 0 };
    for (const [seed, file] of files.entries()) {
      for (const broken of damaged(file, 150, seed)) {
        try {
          await decode(broken, { maxPixels: 3_000_000 });
          outcomes.drawn++;
        } catch (error) {
          assert.ok(error instanceof Failure, `${error}`);
          outcomes.refused++;
        }
      }
    }
    assert.ok(Math.min(outcomes.drawn, outcomes.refused) > 20 * TRIED_PART, JSON.stringify(outcomes));
  });
});

test('counts the memory of PDFium', async () => {
  const size = await withPdfium(({ HEAPU8 }) => HEAPU8.length);
  assert.ok(wasmMemoryBytes() >= size);
});

describe('real files', () => {
  test('look as poppler draws them', { skip: corpusSkipReason || nightlyOnly }, async () => {
    for (const [name, pages, width, height, cells] of FACTS) {
      const file = corpus(`pdf/${name}`)!;
      assert.deepEqual(await probe(file), { width, height, pages, depth: 8, hasAlpha: false }, name);
      const distance = greyDistance(greyCells(await decode(file)), cells);
      assert.ok(distance <= MAX_DIFFERENCE, `${name} ${distance}`);
    }
  });

  test('with a password are rejected', { skip: corpusSkipReason }, async () => {
    await failureOf('password_protected', () => probe(corpus('pdf/pdf.js--pr6531_1.pdf')!));
  });

  test('that are hostile are drawn or rejected', { skip: corpusSkipReason }, async () => {
    // 100,000 x 100,000 pixels of JBIG2, which PDFium skips.
    assert.deepEqual(sizeOf(await decode(corpus('hostile-samples/pdf.js--bomb_giant.pdf')!)), [1275, 1650]);
    assert.deepEqual(sizeOf(await decode(corpus('hostile-samples/pdf.js--helloworld-bad.pdf')!)), [417, 417]);
  });

  test('that are damaged throw nothing but a Failure', { skip: corpusSkipReason }, async () => {
    for (const name of ['pdf.js--doc_1_3_pages.pdf', 'ocrmypdf--francais.pdf', 'pdf.js--alphatrans.pdf']) {
      for (const broken of damaged(corpus(`pdf/${name}`)!, 12, 3)) {
        try {
          await decode(broken, { scale: 0.2 });
        } catch (error) {
          assert.ok(error instanceof Failure, `${name} ${error}`);
        }
      }
    }
  });
});

/** Maximum difference of a cell. The two renderers draw text with slightly different weights. */
const MAX_DIFFERENCE = 8;
/**
 * Page count, and width, height and cell greys of the first page, by pdfinfo and `pdftoppm -r 150 -cropbox` of poppler
 * 22.12.
 */
const FACTS: readonly [name: string, pages: number, width: number, height: number, cells: string][] = [
  [
    'libvips--ISO_12233-reschart.pdf',
    1,
    2363,
    1418,
    '64879d9f876498ccdadac9989acbd2c8c89c9dcbd2d6d19a97c9b6b6d097648886858965',
  ],
  ['libvips--blankpage.pdf', 1, 1240, 1755, 'ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff'],
  ['libvips--page-box.pdf', 1, 1477, 1991, '7c8e95958e7c86a6a6a6a68586a6a5a5a68586a6a5a5a68586a6a6a6a6857c8e8e8e8e7c'],
  ['ocrmypdf--3small.pdf', 3, 417, 445, 'f8f3f8faf8fff4cff2f5f8f9faeac9d9cee8faedebe5fbfff4ebf5fff7f9fbf3e7edeff2'],
  ['ocrmypdf--c02-22.pdf', 1, 800, 981, 'd2d1c8c7cbcbc9bfcdc5c5c5baa1a9c1c2c4ba7e89c8c9cac280abc1c0c2ccc5c5c5c2c2'],
];
