import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { unzipSync } from 'fflate';
import sharp from 'sharp';
import { jsonLines, runCliHere } from '../../support/cli.ts';
import { corpus, corpusSkipReason } from '../../support/corpus.ts';
import { withFolder } from '../../support/folder.ts';
import { modelsSkipReason } from '../../support/models.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { decode, difference, jpeg, pattern, pixel, png } from '../../support/test-images.ts';

const PEOPLE = 'faces/face_recognition--obama_and_biden.jpg';

/** Runs one command, split at spaces, in a folder with these files. The command must succeed. */
async function runInFolder(
  files: Record<string, Uint8Array | string>,
  command: string,
  work: (folder: string, out: string) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    for (const [name, data] of Object.entries(files)) await writeFile(join(folder, name), data);
    const { status, out, err } = await runCliHere(command.split(' '), { cwd: folder });
    assert.deepEqual([status, err], [0, '']);
    await work(folder, out);
  });
}

async function text(words: string): Promise<Buffer> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="600" height="120"><rect width="600" height="120" fill="#fff"/>
    <text x="30" y="75" font-family="sans-serif" font-size="48">${words}</text></svg>`;
  return sharp(Buffer.from(svg)).png().toBuffer();
}

describe('image operations on the command line', () => {
  it('compress: the output name sets the format, options the rest', async () => {
    const image = pattern(300, 200);
    const command = 'compress photo.png -o photo.webp --width 150 --flip h --grayscale --no-enlarge --quality 90';
    await runInFolder({ 'photo.png': await png(image) }, command, async (folder, out) => {
      const written = await readFile(join(folder, 'photo.webp'));
      const { format, width, height } = await sharp(written).metadata();
      assert.deepEqual([format, width, height], ['webp', 150, 100]);
      const expected = await decode(
        await sharp(await png(image))
          .resize(150)
          .flop()
          .grayscale()
          .png()
          .toBuffer(),
      );
      assert.ok(difference({ ...(await decode(written)) }, expected).mean < 6);
      assert.match(out, /^photo[.]png -> photo[.]webp: [0-9.]+ kB -> [0-9.]+ k?B \([0-9.]+% less\), [0-9]+ ms\n$/);
    });
  });

  it('compress: draws a logo from another file on each image', { skip: nightlyOnly }, async () => {
    const logo = await sharp({ create: { width: 40, height: 40, channels: 4, background: '#ff0000' } })
      .png()
      .toBuffer();
    const white = await sharp({ create: { width: 200, height: 100, channels: 3, background: '#ffffff' } })
      .png()
      .toBuffer();
    const command =
      'compress a.png b.png -o out --watermark-image logo.png --watermark-opacity 100 --watermark-position c';
    await runInFolder({ 'a.png': white, 'b.png': white, 'logo.png': logo }, command, async (folder) => {
      for (const name of ['a.png', 'b.png']) {
        const made = await decode(await readFile(join(folder, 'out', name)));
        assert.deepEqual(pixel(made, 100, 50).slice(0, 3), [255, 0, 0]);
        assert.deepEqual(pixel(made, 2, 2).slice(0, 3), [255, 255, 255]);
      }
    });
  });

  it('inspect: JSON for machines, text for people', async () => {
    const files = { 'one.jpg': await jpeg(pattern(60, 40)) };
    await runInFolder(files, 'inspect one.jpg --json', async (folder, out) => {
      const [record, ...more] = jsonLines(out);
      assert.equal(more.length, 0);
      const { file, format, width, height, bytes } = record!;
      assert.deepEqual([file, format, width, height, bytes], ['one.jpg', 'jpeg', 60, 40, files['one.jpg'].length]);
      assert.deepEqual(await readdir(folder), ['one.jpg']);
    });
    await runInFolder(files, 'inspect one.jpg', async (_folder, out) => {
      assert.match(out, /^ {2}format +jpeg, /);
      assert.match(out, /^ {2}size +60 x 40 pixels/m);
    });
  });

  it('gif: edits an animation', { skip: nightlyOnly }, async () => {
    const frames = await Promise.all(
      ['#f00', '#0f0', '#00f', '#ff0'].map((background) =>
        sharp({ create: { width: 40, height: 30, channels: 3, background } })
          .png()
          .toBuffer(),
      ),
    );
    const animation = await sharp(frames, { join: { animated: true } })
      .gif({ delay: [100, 100, 100, 100] })
      .toBuffer();
    await runInFolder({ 'clip.gif': animation }, 'gif clip.gif -o short.webp --every 2 --json', async (folder, out) => {
      const { format, pages } = await sharp(await readFile(join(folder, 'short.webp'))).metadata();
      assert.deepEqual([format, pages], ['webp', 2]);
      const [line] = jsonLines(out);
      assert.deepEqual([line?.frames, line?.source_frames, line?.output], [2, 4, 'short.webp']);
    });
  });

  it('favicon: writes a ZIP beside the source', { skip: nightlyOnly }, async () => {
    await runInFolder(
      { 'logo.png': await png(pattern(512, 512, 4)) },
      'favicon logo.png --json',
      async (folder, out) => {
        const names = Object.keys(unzipSync(await readFile(join(folder, 'favicon.zip'))));
        assert.ok(names.includes('favicon.ico') && names.includes('site.webmanifest'));
        const [line] = jsonLines(out);
        assert.deepEqual([line?.output, line?.files], ['favicon.zip', names]);
      },
    );
  });

  it('id-photo: uses the pixels and resolution of a preset', { skip: nightlyOnly }, async () => {
    const command = 'id-photo me.jpg -o passport.jpg --preset us_visa';
    await runInFolder({ 'me.jpg': await jpeg(pattern(900, 1200)) }, command, async (folder) => {
      const { width, height, format } = await sharp(await readFile(join(folder, 'passport.jpg'))).metadata();
      assert.deepEqual([format, width, height], ['jpeg', 600, 600]);
    });
  });

  it('upscale: doubles width and height with the bundled model', { skip: nightlyOnly }, async () => {
    const small = pattern(48, 32);
    await runInFolder({ 'small.png': await png(small) }, 'upscale small.png -o large.png', async (folder) => {
      const large = await decode(await readFile(join(folder, 'large.png')));
      assert.deepEqual([large.width, large.height], [96, 64]);
      const back = await decode(
        await sharp(await readFile(join(folder, 'large.png')))
          .resize(48)
          .png()
          .toBuffer(),
      );
      assert.ok(difference(back, await decode(await png(small))).mean < 6);
    });
  });

  it('ocr: prints only the text, for use in a pipe', { skip: nightlyOnly }, async () => {
    await runInFolder({ 'line.png': await text('Invoice 2048') }, 'ocr line.png', async (_folder, out) => {
      assert.equal(out, 'Invoice 2048\n');
    });
  });

  it('faces and blur-faces: finds the faces and hides them', {
    skip: corpusSkipReason || modelsSkipReason || nightlyOnly,
  }, async () => {
    const people = corpus(PEOPLE)!;
    let box: Record<string, number> = {};
    await runInFolder({ 'people.jpg': people }, 'faces people.jpg --json', async (_folder, out) => {
      const { faces } = jsonLines(out)[0] as { faces: Record<string, number>[] };
      assert.ok(faces.length >= 2);
      box = faces[0]!;
    });
    await runInFolder({ 'people.jpg': people }, 'blur-faces people.jpg -o safe.jpg --json', async (folder, out) => {
      assert.ok(Number(jsonLines(out)[0]?.faces) >= 2);
      const { x: left = 0, y: top = 0, width = 1, height = 1 } = box;
      const face = (bytes: Uint8Array) => sharp(bytes).extract({ left, top, width, height }).png().toBuffer();
      const [before, after] = [await face(people), await face(await readFile(join(folder, 'safe.jpg')))];
      assert.ok(difference(await decode(before), await decode(after)).mean > 10);
    });
  });

  it('remove-background: with your own mask and no model, or with the model', {
    skip: corpusSkipReason || modelsSkipReason || nightlyOnly,
  }, async () => {
    const left = await sharp({ create: { width: 100, height: 80, channels: 3, background: '#000' } })
      .composite([{ input: { create: { width: 50, height: 80, channels: 3, background: '#fff' } }, left: 0, top: 0 }])
      .png()
      .toBuffer();
    const files = { 'photo.png': await png(pattern(100, 80)), 'half.png': left };
    await runInFolder(files, 'remove-background photo.png -o cut.png --mask-file half.png', async (folder) => {
      const cut = await decode(await readFile(join(folder, 'cut.png')));
      assert.deepEqual([pixel(cut, 20, 40)[3], pixel(cut, 80, 40)[3]], [255, 0]);
    });
    await runInFolder({ 'people.jpg': corpus(PEOPLE)! }, 'remove-background people.jpg -o cut.png', async (folder) => {
      const cut = await decode(await readFile(join(folder, 'cut.png')));
      const alphas = [...cut.data].filter((_, at) => at % 4 === 3);
      assert.ok(alphas.includes(0) && alphas.includes(255));
    });
  });

  it('says how to install a missing model', { skip: nightlyOnly }, async () => {
    await withFolder(async (folder) => {
      await writeFile(join(folder, 'a.jpg'), await jpeg(pattern(80, 60)));
      const run = await runCliHere(['faces', 'a.jpg', '--json'], { cwd: folder, env: { IC_MODELS_DIR: folder } });
      assert.equal(run.status, 1);
      const { error } = jsonLines(run.out)[0] as { error: { code: string; hint: string } };
      assert.equal(error.code, 'model_unavailable');
      assert.match(error.hint, /imagecrew models pull/);
    });
  });

  it('pipeline: runs the steps of a file or a template, or predicts in a dry run', async () => {
    const steps = {
      output_name: '{name}-{width}.{ext}',
      steps: [
        { op: 'resize', params: { width: 120 } },
        { op: 'convert', params: { format: 'webp' } },
      ],
    };
    const files = { 'a.png': await png(pattern(300, 200)), 'shop.json': JSON.stringify(steps) };
    await runInFolder(files, 'pipeline a.png -o out/ --steps shop.json --json', async (folder, out) => {
      assert.deepEqual(await readdir(join(folder, 'out')), ['a-120.webp']);
      const { width, height, steps } = jsonLines(out)[0] as { width: number; height: number; steps: object[] };
      assert.deepEqual([width, height, steps.length], [120, 80, 2]);
    });
    await runInFolder(files, 'pipeline a.png --preset thumbnail --dry-run --json', async (folder, out) => {
      const { output, result } = jsonLines(out)[0] as { output: string; result: { width: number } };
      assert.deepEqual([output, result.width], ['a.webp', 200]);
      assert.deepEqual((await readdir(folder)).sort(), ['a.png', 'shop.json']);
    });
  });
});
