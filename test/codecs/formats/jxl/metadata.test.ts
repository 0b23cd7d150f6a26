import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readMetadata, writeMetadata } from '../../../../codecs/metadata/index.ts';
import { corpus, corpusSkipReason } from '../../../support/corpus.ts';
import { contains, u32, XMP } from '../../metadata/fixtures.ts';

describe('jxl', () => {
  const codestream = Buffer.from('ff0a0000', 'hex');

  it('gets a container for metadata and loses it when they are removed', () => {
    const exif = Buffer.from('MM\0*\0\0\0\x08\0\0\0\0\0\0', 'latin1');
    const written = writeMetadata('jxl', codestream, { exif, xmp: Buffer.from(XMP) });
    assert.deepEqual(Buffer.from(readMetadata('jxl', written).exif!), exif);
    assert.equal(contains(readMetadata('jxl', written).xmp!, 'Ljubljana'), true);
    assert.deepEqual(Buffer.from(writeMetadata('jxl', written, {})), codestream);
  });

  it('keeps a codestream in several parts', () => {
    const box = (type: string, content: Uint8Array) =>
      Buffer.concat([u32(content.length + 8), Buffer.from(type), content]);
    const parts = [box('jxlp', Buffer.from([0, 0, 0, 0, 255, 10])), box('jxlp', Buffer.from([128, 0, 0, 1, 7]))];
    const signature = Buffer.from('0000000c4a584c200d0a870a', 'hex');
    const file = Buffer.concat([
      signature,
      ...parts,
      box('jbrd', Buffer.from('secret')),
      box('jumb', Buffer.from('secret')),
    ]);
    const stripped = writeMetadata('jxl', file, {});
    for (const part of parts) assert.equal(contains(stripped, part), true);
    assert.equal(contains(stripped, 'secret'), false);
  });

  it('writes the density to EXIF', () => {
    const written = writeMetadata('jxl', codestream, { density: { x: 300, y: 300 } });
    assert.deepEqual(readMetadata('jxl', written).density, { x: 300, y: 300 });
  });

  it('reads compressed boxes and strips them', { skip: corpusSkipReason }, () => {
    const file = corpus('jxl/kimageformats--compressed_exif.jxl')!;
    assert.equal(contains(readMetadata('jxl', file).exif!, 'GIMP'), true);
    assert.deepEqual(readMetadata('jxl', writeMetadata('jxl', file, {})), {});
  });
});
