import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { acceptedFormats, negotiate } from '../../../server/image-delivery/negotiate.ts';
import { parseOptions } from '../../../server/image-delivery/options.ts';

const NEW_BROWSER = 'image/avif,image/webp,*/*';
const OLD_BROWSER = 'image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5';

interface Source {
  width?: number;
  height?: number;
  alpha?: number;
}

const drawn = ({ width = 8, height = 8, alpha }: Source) =>
  sharp({
    create: {
      ...{ width, height, channels: alpha === undefined ? 3 : 4 },
      background: { r: 200, g: 30, b: 60, ...(alpha !== undefined && { alpha }) },
    },
  });

function formatOf(accept: string, data: Buffer, options = '-'): string {
  const { params } = parseOptions(options === '-' ? '' : options);
  return negotiate(acceptedFormats(accept), new Uint8Array(data).buffer, params!).format;
}

describe('the format of an image by its address', () => {
  it('is one that clients show which do not name that of the source', async () => {
    for (const [format, alpha, expected] of [
      ['avif', undefined, 'jpeg'],
      ['avif', 0.5, 'png'],
      ['webp', undefined, 'jpeg'],
      ['webp', 0.5, 'png'],
      ['tiff', undefined, 'jpeg'],
      ['tiff', 0.5, 'png'],
      ['png', 0.5, 'auto'],
      ['jpeg', undefined, 'auto'],
    ] as const) {
      const data = await drawn(alpha === undefined ? {} : { alpha })
        .toFormat(format, format === 'tiff' ? { compression: 'lzw' } : {})
        .toBuffer();
      assert.equal(formatOf(OLD_BROWSER, data), expected, `${format} ${alpha}`);
    }
    const animation = await drawn({ width: 8, height: 16 }).raw().toBuffer();
    const webp = await sharp(animation.fill(9, 0, 192), { raw: { width: 8, height: 16, channels: 3, pageHeight: 8 } })
      .webp({ loop: 0, delay: [100, 100] })
      .toBuffer();
    assert.equal(formatOf(OLD_BROWSER, webp), 'gif');
    assert.equal(formatOf(NEW_BROWSER, webp), 'webp');
  });

  it('is AVIF if the result has at most 4 megapixels', async () => {
    const small = await drawn({ width: 400, height: 300 }).png().toBuffer();
    const large = await drawn({ width: 4000, height: 3000 }).png().toBuffer();
    for (const [data, options, expected] of [
      [small, '-', 'avif'],
      [small, 'w:4000', 'avif'],
      [small, 'w:4000,enlarge:true', 'webp'],
      [small, 'w:3000,h:3000,fit:contain', 'webp'],
      [large, '-', 'webp'],
      [large, 'w:800', 'avif'],
      [large, 'mw:800', 'avif'],
      [large, 'percent:20', 'avif'],
      [large, 'w:1000,h:3000,fit:cover', 'avif'],
    ] as const)
      assert.equal(formatOf(NEW_BROWSER, data, options), expected, options);
  });
});
