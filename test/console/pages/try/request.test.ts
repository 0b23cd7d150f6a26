/** Runs the code samples of the page and checks that they send the same request as the page. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { declarations } from '../../../../console/declarations/declarations.ts';
import { mcpText } from '../../../../console/pages/try/request/mcp-text.ts';
import { type NamedSource, requestForm, withKey } from '../../../../console/pages/try/request/request-form.ts';
import { toCurl, toJavaScript, toPython } from '../../../../server/console/request-code.ts';
import { HOSTED_TOOLS } from '../../../../server/mcp/tools.ts';
import { withFolder } from '../../../support/folder.ts';
import { withService } from '../../../support/service.ts';
import { skipWithout } from '../../../support/tool.ts';

const execute = promisify(execFile);
/** A file name with characters that are special in a shell and in curl's form options. */
const NAME = "our photo, $(one); it's.jpg";

const sourceFor = (id: string, more: Partial<NamedSource> = {}): NamedSource => ({
  operation: declarations.operations.find((operation) => operation.id === id)!,
  values: {},
  source: { kind: 'file', file: new File(['image'], NAME) },
  parts: {},
  ...more,
});

/** Runs a command in a folder that contains the file, with the key in the environment. */
async function runCommand(command: readonly [string, ...string[]], folder: string, key: string): Promise<void> {
  await writeFile(join(folder, NAME), 'image');
  const [program, ...parameters] = command;
  await execute(program, parameters, { cwd: folder, env: { ...process.env, KEY: key } });
}

describe('the request as code', () => {
  const request = sourceFor('compress', { values: { quality: 60, format: 'webp', watermark_text: '© "A" & $B' } });

  it('is shown with curl', { skip: skipWithout('bash', 'curl') }, () =>
    withFolder((folder) =>
      withService(async ({ origin: address, keys: { free: key }, engine }) => {
        await runCommand(['bash', '-c', toCurl(requestForm(request, address))], folder, key);
        assert.equal(await readFile(join(folder, 'result.webp'), 'utf8'), 'image');
        const { image, params } = engine.calls[0]!.input;
        assert.equal(image.filename, NAME);
        const { quality, format, watermark_text } = params;
        assert.deepEqual({ quality, format, watermark_text }, request.values);
      }),
    ),
  );

  it('is shown in JavaScript', () =>
    withFolder((folder) =>
      withService(async ({ origin: address, keys: { free: key }, engine }) => {
        await writeFile(join(folder, 'request.mjs'), toJavaScript(requestForm(request, address)));
        await runCommand([process.execPath, 'request.mjs'], folder, key);
        assert.equal(await readFile(join(folder, 'result.webp'), 'utf8'), 'image');
        const { image, params } = engine.calls[0]!.input;
        assert.equal(image.filename, NAME);
        assert.equal(params.watermark_text, request.values.watermark_text);
      }),
    ));

  it('is shown in Python, which can parse it', { skip: skipWithout('python3') }, () =>
    withFolder(async (folder) => {
      await writeFile(join(folder, 'request.py'), toPython(requestForm(request, 'http://127.0.0.1:1')));
      await execute('python3', ['-m', 'py_compile', 'request.py'], { cwd: folder });
    }),
  );

  it('includes the key itself only on request', () => {
    for (const text of [toCurl, toJavaScript, toPython]) {
      const written = text(requestForm(request, 'http://127.0.0.1:8080'));
      assert.match(written, /KEY/);
      const own = withKey(written, 'ic_live_mine');
      assert.match(own, /Bearer ic_live_mine/);
      assert.doesNotMatch(own, /KEY/);
    }
  });

  it('is shown for an address, and with further parts', () => {
    const source = { kind: 'url', url: 'https://example.com/a.jpg' } as const;
    const fetched = toCurl(requestForm(sourceFor('inspect', { source }), 'http://127.0.0.1:8080'));
    assert.match(fetched, /-d '\{"url":"https:\/\/example[.]com\/a[.]jpg"\}'/);
    assert.doesNotMatch(fetched, / -o /);
    const parts = { mask: new File(['mask'], 'mask.png') };
    assert.match(toCurl(requestForm(sourceFor('remove-background', { parts }), '')), /-F mask=@mask[.]png/);
    assert.match(toCurl(requestForm(sourceFor('favicon'), '')), /-o result[.]zip/);
  });

  it('is shown as a call of a tool that supports it', () => {
    const cases: [NamedSource, string, string[]][] = [
      [sourceFor('compress', { values: { quality: 60 } }), 'compress_image', []],
      [sourceFor('compress', { values: { format: 'webp', page: 2 } }), 'convert_image', []],
      [sourceFor('compress', { values: { quality: 60, blur: 10 } }), 'compress_image', ['blur']],
      [sourceFor('remove-background', { values: { refine: true } }), 'remove_background', []],
    ];
    for (const [one, name, leftOut] of cases) {
      const { text, leftOut: left } = mcpText(one);
      const { params } = JSON.parse(text!);
      assert.equal(params.name, name);
      assert.deepEqual(left, leftOut);
      HOSTED_TOOLS.find((tool) => tool.name === name)!.input.parse(params.arguments);
    }
    assert.equal(mcpText(sourceFor('gif')).text, undefined);
  });
});
