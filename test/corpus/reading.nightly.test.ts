/** Every image of the corpus opens with the size and the page count that other programs report. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Failure } from '../../base/failure.ts';
import type { ReaderContext } from '../../codecs/format-reader.ts';
import { compileModules } from '../../codecs/modules.ts';
import { formatOf, openSource } from '../../codecs/read.ts';
import { isDecodeError, type Source, vipsMessage, WHOLE_IMAGE } from '../../codecs/source.ts';
import { startVips } from '../../codecs/vips.ts';
import { corpus, corpusSkipReason } from '../support/corpus.ts';
import { listCorpusImages } from '../support/manifest.ts';

/** Files that are refused, with their error codes. */
const REFUSED: Readonly<Record<string, Failure['code']>> = {
  // The service has no way to receive a password.
  'pdf/pdf.js--pr6531_1.pdf': 'password_protected',
};

/** Larger images are opened but not decoded, to save time. */
const MAX_DECODED_PIXELS = 20_000;

describe('the corpus', { skip: corpusSkipReason }, () => {
  let context: ReaderContext;
  let releaseHandles: () => void;

  before(async () => {
    const modules = await compileModules();
    const instance = await startVips(modules);
    context = { vips: instance.vips, modules };
    releaseHandles = instance.releaseHandles;
  });

  async function open(path: string): Promise<Source> {
    const bytes = corpus(path);
    assert.ok(bytes, 'listed but not there');
    return openSource(context, { bytes, format: await formatOf(bytes, path), page: 1, filename: path });
  }

  /** Decodes an image. If that fails, decodes it again in tolerant mode, which reads truncated files. */
  async function decode({ header, open }: Source): Promise<void> {
    const attempt = async (tolerant: boolean) => {
      const { frames } = await open({ ...WHOLE_IMAGE, tolerant });
      const { width, height } = frames[0].copyMemory();
      assert.deepEqual({ width, height }, { width: header.width, height: header.height });
    };
    await attempt(false).catch((error: unknown) => {
      if (!isDecodeError(error)) throw error;
      return attempt(true);
    });
  }

  for (const { path, size, pages, saidBy } of listCorpusImages()) {
    it(path, async () => {
      const code = REFUSED[path];
      if (code) {
        await assert.rejects(open(path), { code });
        return;
      }
      try {
        const source = await open(path);
        const { width, height } = source.header;
        if (size) assert.deepEqual({ width, height }, size, `the size that ${saidBy} tells`);
        if (pages) assert.equal(source.header.pages, pages, `the pages that ${saidBy} tells`);
        if (width * height <= MAX_DECODED_PIXELS) await decode(source);
      } catch (error) {
        // Errors of libvips have no message of their own.
        throw isDecodeError(error) ? new Error(vipsMessage(error)) : error;
      } finally {
        releaseHandles();
      }
    });
  }
});
