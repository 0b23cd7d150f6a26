import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readDicomFacts } from '../../../../codecs/formats/dicom/facts.ts';
import { isDicom } from '../../../../codecs/formats/dicom/recognise.ts';
import { corpus, corpusFiles, corpusSkipReason } from '../../../support/corpus.ts';
import { noise } from './support.ts';
import { BIG_ENDIAN, coded, DEFLATED, dicomFile, dicomImage, EXPLICIT, IMPLICIT, SOP_CLASS } from './write-dicom.ts';

const image = { width: 4, height: 3, pixels: new Uint8Array(12) };

describe('recognises files', () => {
  for (const [name, encoding] of Object.entries({ IMPLICIT, EXPLICIT, BIG_ENDIAN, DEFLATED })) {
    it(`${name}: with preamble, without preamble, without meta information`, () => {
      assert.equal(isDicom(dicomImage(encoding, image)), true);
      assert.equal(isDicom(dicomImage(encoding, image, { preamble: false })), true);
      if (encoding !== DEFLATED)
        assert.equal(isDicom(dicomImage(encoding, image, { preamble: false, meta: false })), true);
    });
  }

  it('with a TIFF header in its preamble', () => {
    const file = Buffer.from(dicomImage(EXPLICIT, image));
    file.write('II*\0', 0, 'latin1');
    assert.equal(isDicom(file), true);
  });

  it('by their name when no class of objects is named', () => {
    for (const encoding of [EXPLICIT, IMPLICIT]) {
      const file = Buffer.from(dicomImage(encoding, image, { preamble: false, meta: false }));
      file.write('9', file.indexOf(SOP_CLASS), 'latin1');
      assert.equal(isDicom(file), false);
      assert.equal(isDicom(file, 'dcm'), true);
    }
  });
});

describe('does not recognise', () => {
  it('other content, whatever its name', () => {
    const files = [
      new Uint8Array(),
      new Uint8Array(5000),
      Uint8Array.of(8, 0),
      Uint8Array.from(noise(5000, 256)),
      Buffer.from('DICOM is a standard'),
      Buffer.from('\x08\0\x05\0CS\x0a\0ISO_IR 100', 'latin1'),
      // The fourth element is longer than the file.
      Buffer.from(
        [1, 2, 3, 4].map((tag) => `\x08\0${String.fromCharCode(tag)}\0CS${tag < 4 ? '\x02\0ab' : '\xff\xff'}`).join(''),
        'latin1',
      ),
    ];
    for (const file of files) assert.equal(isDicom(file, 'dcm'), false);
  });

  it('the other files of the corpus', { skip: corpusSkipReason }, () => {
    const others = [
      'avif',
      'bmp',
      'djvu',
      'gif',
      'heic',
      'ico',
      'jpeg',
      'legacy',
      'nifti',
      'pdf',
      'png',
      'psd',
      'raw',
      'svg',
      'tga',
      'tiff',
      'webp',
    ];
    const files = others.flatMap(corpusFiles);
    assert.ok(files.length > 300);
    for (const path of files) {
      assert.equal(isDicom(corpus(path)!), false, path);
      assert.equal(isDicom(corpus(path)!, 'dcm'), false, path);
    }
  });
});

it('recognises all DICOM files of the corpus', { skip: corpusSkipReason }, () => {
  for (const path of corpusFiles('dicom')) assert.equal(isDicom(corpus(path)!), true, path);
});

it('reads the facts for an inspection', () => {
  assert.deepEqual(readDicomFacts(dicomImage(coded('4.70'), image)), {
    transferSyntax: 'JPEG Lossless (Process 14, Selection Value 1)',
    modality: 'OT',
    photometricInterpretation: 'MONOCHROME2',
    bitsStored: 8,
  });
  assert.deepEqual(readDicomFacts(dicomFile({ ...EXPLICIT, uid: '1.2.3.4' }, [])), {
    transferSyntax: '1.2.3.4',
    modality: undefined,
    photometricInterpretation: undefined,
    bitsStored: undefined,
  });
});
