import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Random } from '../support/random.ts';
import { isThorough } from '../support/thorough.ts';
import { type Files, type LocalServerClient, photo, type ScannedImage, withLoadedPackage } from './desk.ts';
import { OTHERS, sourceOf, TYPES } from './template-types.ts';

interface Place {
  file: string;
  line: number;
  raw: string;
  reason: string;
}

const ADDRESS = '/img/hero.jpg';

async function hero(): Promise<ScannedImage[]> {
  return [{ at: ADDRESS, data: await photo(1) }];
}

async function preview(desk: LocalServerClient) {
  const plan = await desk.call('preview_replacements');
  return {
    edits: (plan.files as { path: string; edits: { line: number; before: string }[] }[]).flatMap(({ path, edits }) =>
      edits.map(({ line, before }) => ({ file: path, line, raw: before })),
    ),
    skipped: plan.skipped as Place[],
    id: plan.plan_id,
  };
}

/** Counts the occurrences of the address on each line of the files, by `file:line`. */
function rawHits(files: Readonly<Record<string, string>>): Map<string, number> {
  const hits = new Map<string, number>();
  for (const [path, text] of Object.entries(files))
    for (const [index, line] of text.split('\n').entries()) {
      // Followed by letters it is another name; preceded by a name with a dot it is part of another address.
      const count = line.match(/(?<!\.\w+)\/img\/hero\.jpg(?![\w-])/g)?.length;
      if (count) hits.set(`${path}:${index + 1}`, count);
    }
  return hits;
}

/** Returns broken sources of every kind, mixed with fragments of other kinds. */
function mixedSources(count: number): Record<string, string> {
  const sources = Object.entries({ ...TYPES, ...OTHERS }).map(([path, text]) => ({
    ending: path.includes('.') ? path.slice(path.lastIndexOf('.')) : '.txt',
    parts: sourceOf(text).split(/(?<=[\s>"'(){}\]])/),
  }));
  const all = sources.flatMap(({ parts }) => parts);
  return Object.fromEntries(
    Array.from({ length: count }, (_, seed) => {
      const random = new Random(seed);
      const { ending, parts } = random.pick(sources);
      const mixed = Array.from({ length: 3 + random.integer(40) }, () =>
        random.pick(random.integer(4) === 0 ? all : parts),
      );
      return [`f${seed}${ending}`, mixed.join('')];
    }),
  );
}

/** find_references lists at most 500 references, so only a few files have text at the same time. */
const BATCH_SIZE = 10;

/** Returns the references in all files. Only a few files have text at the same time. */
async function findAll(desk: LocalServerClient, texts: Readonly<Record<string, string>>): Promise<Place[]> {
  const all: Place[] = [];
  const paths = Object.keys(texts);
  for (const path of paths) await writeFile(join(desk.folder, path), '');
  for (let first = 0; first < paths.length; first += BATCH_SIZE) {
    const some = paths.slice(first, first + BATCH_SIZE);
    for (const path of some) await writeFile(join(desk.folder, path), texts[path]!);
    const { references, total } = await desk.call('find_references');
    assert.equal((references as Place[]).length, total);
    all.push(...(references as Place[]));
    for (const path of some) await writeFile(join(desk.folder, path), '');
  }
  return all;
}

describe('an old URL in any text', () => {
  it('is replaced or reported, wherever it is', async () => {
    const texts = mixedSources(isThorough ? 1000 : 300);
    const hits = rawHits(texts);
    assert.ok(hits.size > 300, String(hits.size));
    const [image] = await hero();
    await withLoadedPackage({ [`public${ADDRESS}`]: image!.data }, [image!], async (desk) => {
      for (const { file, line, raw } of await findAll(desk, texts))
        for (const [index, part] of raw.split('\n').entries()) {
          const place = `${file}:${line + index}`;
          const count = Math.max(1, part.split(ADDRESS).length - 1);
          hits.set(place, (hits.get(place) ?? 0) - count);
        }
    });
    for (const [place, left] of hits)
      assert.ok(left <= 0, `${left} left at ${place} of ${texts[place.replace(/:\d+$/, '')]}`);
  });

  it('is reported but not changed in other encodings and in files that are too large', async () => {
    const [image] = await hero();
    const page = `<p>\u00e9</p>\n<img src="${ADDRESS}">\n`;
    const files: Files = {
      [`public${ADDRESS}`]: image!.data,
      'index.html': `<img src="${ADDRESS}">`,
      'latin.html': Buffer.from(page, 'latin1'),
      'utf16.html': Buffer.from(`\ufeff${page}`, 'utf16le'),
      'utf16.txt': Buffer.from(`\ufeff${page}`, 'utf16le'),
      'large.html': `${page}${'\n'.repeat(2_000_001)}`,
      'binary.bin': Buffer.concat([Buffer.from([0, 1, 2, 3]), Buffer.from(ADDRESS)]),
      '.env': `HERO=${ADDRESS}`,
    };
    await withLoadedPackage(files, [image!], async (desk) => {
      const { skipped, edits } = await preview(desk);
      assert.deepEqual(
        skipped.map(({ file, line, raw, reason }) => `${file}:${line} ${raw} ${reason}`),
        ['large.html', 'latin.html', 'utf16.html', 'utf16.txt'].map((file) => `${file}:2 ${ADDRESS} unsupported_type`),
      );
      assert.deepEqual(edits, [{ file: 'index.html', line: 1, raw: ADDRESS }]);
    });
  });

  it('is distinguished from similar names, and found in other encodings', async () => {
    const [image] = await hero();
    const texts = {
      'yes.txt': `url=%2Fimg%2Fhero.jpg&w=1\n"\\/img\\/hero.jpg"\n_hero.jpg_ C:\\img\\hero.jpg\nimage:${ADDRESS}.`,
      'no.txt': 'superhero.jpg hero.jpg.bak hero.jpgx my-hero.jpg hero.jpeg https://other.example/img/hero.jpg',
    };
    await withLoadedPackage({ ...texts, [`public${ADDRESS}`]: image!.data }, [image!], async (desk) => {
      const { skipped } = await preview(desk);
      assert.deepEqual(
        skipped.map(({ file, line }) => `${file}:${line}`),
        ['yes.txt:1', 'yes.txt:2', 'yes.txt:3', 'yes.txt:3', 'yes.txt:4'],
      );
    });
  });

  it('is a problem for validate if it is added after the plan', async () => {
    const [image] = await hero();
    const files: Files = {
      [`public${ADDRESS}`]: image!.data,
      'index.html': `<img src="${ADDRESS}">`,
      'notes.txt': `see ${ADDRESS}\n`,
    };
    await withLoadedPackage(files, [image!], async (desk) => {
      const { id } = await preview(desk);
      await desk.call('apply_replacements', { plan_id: id, approved: true });
      assert.equal((await desk.call('validate_replacements')).ok, true);
      await writeFile(join(desk.folder, 'notes.txt'), `see ${ADDRESS}\nand ${ADDRESS}\n`);
      await writeFile(join(desk.folder, 'app.rs'), `const HERO: &str = "${ADDRESS}";`);
      const { problems } = await desk.call('validate_replacements');
      assert.deepEqual(
        (problems as { file: string; line: number; code: string }[]).map(
          ({ file, line, code }) => `${file}:${line} ${code}`,
        ),
        ['app.rs:1 old_reference', 'notes.txt:2 old_reference'],
      );
    });
  });
});
