import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { imageCommandsAdder } from '../../../cli/images/commands.ts';
import { operationCommand } from '../../../cli/images/operations.ts';
import { flagOf, joinSwitches, parametersOf } from '../../../cli/images/parameters.ts';
import { PIPELINE } from '../../../cli/images/pipeline.ts';
import { runCli } from '../../../cli/program.ts';
import { OPERATIONS } from '../../../engine/operations/registry.ts';
import { runCliProcess } from '../../support/cli.ts';
import { withFolder } from '../../support/folder.ts';
import { jpeg, pattern } from '../../support/test-images.ts';

async function run(args: readonly string[], isTerminal = false) {
  const written = { out: '', err: '' };
  const status = await runCli(args, {
    env: { IC_WORKERS: '1' },
    out: (text) => {
      written.out += text;
    },
    err: (text) => {
      written.err += text;
    },
    isTerminal,
  });
  return { status, ...written };
}

const declared = [...OPERATIONS.map(operationCommand), PIPELINE];

describe('the image commands', () => {
  it('describe every declared parameter in their help, with its meaning and default', async () => {
    for (const { name, params, auxiliaryImages, examples } of declared) {
      const { status, out } = await run([name, '--help']);
      assert.equal(status, 0);
      const text = out.replaceAll(/\s+/g, ' ');
      for (const [parameter, schema] of Object.entries(params.shape)) {
        assert.ok(text.includes(` ${flagOf(parameter)} `), `${name} ${parameter}`);
        const { description = '', default: standard } = parametersOf(params).schemas.get(parameter)!;
        assert.ok(text.includes(description.replaceAll(/\s+/g, ' ')), `${name} ${parameter}: ${String(schema)}`);
        if (standard !== undefined) assert.ok(text.includes(`default ${String(standard)})`), `${name} ${parameter}`);
      }
      for (const image of Object.keys(auxiliaryImages)) assert.ok(text.includes(flagOf(image)), image);
      for (const example of examples) assert.ok(text.includes(`imagecrew ${name} ${example}`), example);
    }
  });

  it('are all in the help of the program', async () => {
    const { out } = await run(['--help']);
    for (const { name } of declared) assert.match(out, new RegExp(`^  ${name} `, 'm'));
  });

  it('have no duplicate options', async () => {
    for (const { name } of declared) {
      // Commander throws if two options share a flag.
      assert.equal(typeof (await imageCommandsAdder([name])), 'function');
      assert.equal((await run([name, '--help'])).status, 0);
    }
  });

  it('explain invalid usage, and exit with 2', async () => {
    await withFolder(async (folder) => {
      const [a, b] = [join(folder, 'a.jpg'), join(folder, 'b.jpg')];
      for (const file of [a, b]) await writeFile(file, await jpeg(pattern(20, 10)));
      const cases: [string[], RegExp][] = [
        [['compress', a, '--quality', '0'], /^Expected an integer from 1 to 100 for quality but received "0"[.]\n$/],
        [['compress', a, '--quality', '101'], /for quality but received "101"/],
        [['compress', a, '--quality', '1e1'], /for quality but received "1e1"/],
        [['compress', a, '--quality', ''], /for quality but received ""/],
        [['compress', a, '--format', 'jpg'], /^Expected one of auto, jpeg, .* for format but received "jpg"[.]\n$/],
        [
          ['compress', a, '--quality', '5', '--quality', '6'],
          /^Expected one value for quality but received several[.]\n$/,
        ],
        [['compress', a, '--enlarge=yes'], /^Expected true or false for enlarge but received "yes"[.]\n$/],
        [['compress', a, '--print-width', '10', '--width', '5'], /^Expected print_width without width/],
        [['compress', a, '--qualty', '5'], /Did you mean --quality/],
        [['compress'], /missing required argument/],
        [['compress', a, '--concurrency', '0'], /^Expected an integer from 1 to 256 for --concurrency/],
        [['compress', a, '--concurrency', '257'], /^Expected an integer from 1 to 256 for --concurrency/],
        [['compress', a, '-o', join(folder, 'x.heic')], /^Expected a name with the extension of one of jpeg, /],
        [
          ['compress', a, '-o', join(folder, 'x.webp'), '--format', 'png'],
          /^Expected a name with the extension of png/,
        ],
        [['compress', a, '-o', 'x', '--in-place'], /^Expected --in-place without --output/],
        [['compress', a, b, '-o', a], /^Expected a folder, as there are several inputs,/],
        [['compress', a, b, '-o', '-'], /^Expected one input for --output -/],
        [['compress', a, '--watermark-image', join(folder, 'no.png')], /^Expected a file that can be read/],
        [['remove-background', a, '--background', 'image'], /for background_image but received nothing/],
        [['pipeline', a], /^Expected a file, or preset, for steps but received nothing[.]\n$/],
        [['pipeline', a, '--preset', 'nobody'], /^Expected one of web, thumbnail, /],
        [['pipeline', a, '--preset', 'web', '--steps', a], /^Expected preset without steps/],
        [['pipeline', a, '--steps', a], /^Expected valid JSON for pipeline/],
      ];
      for (const [args, sentence] of cases) {
        const { status, out, err } = await run(args);
        assert.deepEqual([status, out], [2, ''], args.join(' '));
        assert.match(err, sentence);
      }
    });
  });

  it('accept switches alone, negated and with a value, also before files', () => {
    const switches = new Set(['--enlarge']);
    const joined = (text: string) => joinSwitches(text.split(' '), switches).join(' ');
    assert.equal(joined('--enlarge a.jpg'), '--enlarge=true a.jpg');
    assert.equal(joined('--enlarge false a.jpg'), '--enlarge=false a.jpg');
    assert.equal(joined('--enlarge 1'), '--enlarge=1');
    assert.equal(joined('--no-enlarge a.jpg'), '--no-enlarge a.jpg');
    assert.equal(joined('--quality 1 a.jpg --enlarge'), '--quality 1 a.jpg --enlarge=true');
    assert.equal(joined('a.jpg -- --enlarge true'), 'a.jpg -- --enlarge true');
  });

  it('show progress on a terminal, and clear it', async () => {
    await withFolder(async (folder) => {
      for (const name of ['a', 'b', 'c']) await writeFile(join(folder, `${name}.jpg`), await jpeg(pattern(20, 10)));
      const { status, err, out } = await run(['compress', folder, '-o', join(folder, 'out')], true);
      assert.equal(status, 0);
      assert.match(err, /\rcompress \[#{10}-{20}\] {2}33% of 3 files/);
      const cleared = '\u001b[K\r\u001b[K';
      assert.ok(err.endsWith(`[${'#'.repeat(20)}${'-'.repeat(10)}]  66% of 3 files${cleared}`));
      assert.equal(out.trimEnd().split('\n').length, 4);
    });
  });

  it('print help without loading the engine', async () => {
    await withFolder(async (folder) => {
      const watch = `import { register } from 'node:module';
        register('data:text/javascript,' + encodeURIComponent('export async function load(url, context, next) { process._rawDebug(url); return next(url, context); }'));`;
      const node = ['--import', `data:text/javascript,${encodeURIComponent(watch)}`];
      for (const args of [['--help'], ['compress', '--help']]) {
        const { status, err } = await runCliProcess(args, { cwd: folder, node });
        assert.equal(status, 0);
        assert.match(err, /cli\/main[.]/);
        assert.doesNotMatch(err, /piscina|wasm-vips/);
      }
    });
  });
});
