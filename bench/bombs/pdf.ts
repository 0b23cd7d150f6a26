/** PDF: content streams that call themselves, streams that inflate, huge pages and boxes. */
import { onePage, pdf } from '../../test/codecs/formats/pdf/file.ts';
import { type Bomb, bombs } from './bomb.ts';
import { zlibZeros } from './bytes.ts';

const BOX = '/MediaBox [0 0 500 500]';
const FORM = '/Type /XObject /Subtype /Form /BBox [0 0 500 500]';

/** Each form draws the next one ten times. */
function forms(levels: number): Uint8Array {
  const more = Array.from({ length: levels }, (_, level) => ({
    entries: `${FORM} /Resources << /XObject << /X ${6 + level} 0 R >> >>`,
    data: '/X Do\n'.repeat(10),
  }));
  return onePage(`${BOX} /Resources << /XObject << /X 5 0 R >> >>`, {
    content: '/X Do',
    more: [...more, { entries: FORM, data: '0 0 9 9 re f' }],
  });
}

function patterns(levels: number): Uint8Array {
  const pattern = (next: number) =>
    `/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 5 5] /XStep 1 /YStep 1 /Resources << /Pattern << /P ${next} 0 R >> >>`;
  const paint = '/Pattern cs /P scn 0 0 500 500 re f\n';
  const more = Array.from({ length: levels }, (_, level) => ({ entries: pattern(6 + level), data: paint }));
  return onePage(`${BOX} /Resources << /Pattern << /P 5 0 R >> >>`, {
    content: paint,
    more: [...more, { entries: pattern(5), data: '1 0 0 rg 0 0 1 1 re f' }],
  });
}

const image = (width: number, height: number, filter: string, data: Uint8Array, bits = 8, space = '/DeviceGray') =>
  onePage(`${BOX} /Resources << /XObject << /X 5 0 R >> >>`, {
    content: '500 0 0 500 0 0 cm /X Do',
    more: [
      {
        entries: `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /BitsPerComponent ${bits} /ColorSpace ${space} ${filter}`,
        data,
      },
    ],
  });

const FLATE = '/Filter /FlateDecode';

function pages(count: number): Uint8Array {
  const kids = Array.from({ length: count }, (_, index) => `${index + 3} 0 R`).join(' ');
  return pdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${count} >>`,
    ...Array<string>(count).fill(`<< /Type /Page /Parent 2 0 R ${BOX} >>`),
  ]);
}

/** A Type 3 font whose characters show text in the same font. */
const font = (calls: number): Uint8Array =>
  onePage(`${BOX} /Resources << /Font << /F 5 0 R >> >>`, {
    content: 'BT /F 12 Tf 10 10 Td (aaaa) Tj ET',
    more: [
      '<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1000 1000] /FontMatrix [0.001 0 0 0.001 0 0] /FirstChar 97 /LastChar 97 /Widths [1000] /Encoding << /Differences [97 /a] >> /CharProcs << /a 6 0 R >> /Resources << /Font << /F 5 0 R >> >> >>',
      { entries: '', data: `1000 0 d0 ${'BT /F 1 Tf (aaaaaaaaaa) Tj ET '.repeat(calls)}` },
    ],
  });

const operators = (content: string): Uint8Array => onePage(BOX, { content });

export const PDF_BOMBS: readonly Bomb[] = bombs('pdf', 'pdf', {
  'forms of forms, 10^9': () => forms(9),
  'forms of forms, 10^5': () => forms(5),
  'form of itself': () =>
    onePage(`${BOX} /Resources << /XObject << /X 5 0 R >> >>`, {
      content: '/X Do',
      more: [{ entries: `${FORM} /Resources << /XObject << /X 5 0 R >> >>`, data: '/X Do /X Do' }],
    }),
  'patterns of patterns': () => patterns(6),
  'Type 3 font that shows itself': () => font(100),
  'page of 14400 x 14400 inches': () => onePage('/MediaBox [0 0 1036800 1036800]'),
  'page of 1e9 points': () => onePage('/MediaBox [0 0 1000000000 1000000000] /UserUnit 1000'),
  'page of 4800 x 4800 points': () => onePage('/MediaBox [0 0 4800 4800]'),
  'image of 60000 x 60000': () => image(60_000, 60_000, FLATE, zlibZeros(1e6)),
  'image of 1,000,000,000 x 1,000,000,000': () => image(1e9, 1e9, FLATE, zlibZeros(1e6)),
  'image of 20000 x 20000, deflated twice': () =>
    image(20_000, 20_000, '/Filter [/FlateDecode /FlateDecode]', zlibZeros(4e8)),
  'JPEG 2000 of 60000 x 60000': () => image(60_000, 60_000, '/Filter /JPXDecode', Buffer.alloc(1000)),
  'JBIG2 of 60000 x 60000': () =>
    image(
      60_000,
      60_000,
      '/Filter /JBIG2Decode',
      Buffer.from('000000003000010000001300 00ea60 0000ea60 00000000 00000000 000000'.replaceAll(' ', ''), 'hex'),
      1,
    ),
  'content that inflates to 1 GB': () =>
    pdf([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      `<< /Type /Page /Parent 2 0 R /Contents 4 0 R ${BOX} >>`,
      { entries: FLATE, data: zlibZeros(2 ** 30) },
    ]),
  '40,000 pages': () => pages(40_000),
  '2,000,000 saved states': () => operators('q '.repeat(2_000_000)),
  '300,000 filled pages': () => operators('0 0 500 500 re f '.repeat(300_000)),
  'curve of 500,000 parts, stroked': () => operators(`0 0 m ${'1 500 500 1 250 250 c '.repeat(500_000)} 40 w S`),
  'shading by a function of 100,000 parts': () =>
    onePage(`${BOX} /Resources << /Shading << /S 5 0 R >> >>`, {
      content: '/S sh '.repeat(1000),
      more: [
        '<< /ShadingType 1 /ColorSpace /DeviceRGB /Matrix [500 0 0 500 0 0] /Function 6 0 R >>',
        {
          entries: '/FunctionType 4 /Domain [0 1 0 1] /Range [0 1 0 1 0 1]',
          data: `{ ${'dup sin cos '.repeat(2000)} dup dup }`,
        },
      ],
    }),
  'parent of itself': () =>
    pdf(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Parent 2 0 R /Kids [2 0 R 2 0 R] /Count 2 >>']),
  '100,000 nested lists': () => onePage(`${BOX} /X ${'['.repeat(100_000)}${']'.repeat(100_000)}`),
  'claims 100,000,000 objects': () => onePage(BOX, { trailer: '/Size 100000000' }),
  'valid, image of 9999 x 9999': () => image(9999, 9999, FLATE, zlibZeros(9999 * 9999)),
});
