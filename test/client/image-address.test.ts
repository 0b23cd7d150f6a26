import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runCli } from '../../cli/program.ts';
import { signImageAddress, signSrcset } from '../../client/index.ts';
import { withDelivery } from '../server/image-delivery/address-tools.ts';

describe('an address that the client signs', () => {
  it('is served, with every character of its source and options', async () => {
    await withDelivery(async ({ origin, web, key, asked, engine }) => {
      const signing = { id: key.id, key: key.text };
      const source = `${web}/a b/ž?x=1&y=2%2F+,`;
      const options = { w: 100, watermark_text: 'a, b: ž', f: 'webp', q: undefined };
      const address = await signImageAddress(`${origin}/`, signing, source, options);
      const response = await fetch(address);
      assert.equal(response.status, 200, address);
      assert.deepEqual(asked, ['/a%20b/%C5%BE?x=1&y=2%2F+,']);
      const { width, watermark_text } = engine.calls[0]!.input.params as Record<string, unknown>;
      assert.deepEqual({ width, watermark_text }, { width: 100, watermark_text: 'a, b: ž' });
      assert.equal((await fetch(await signImageAddress(origin, signing, source))).status, 200);
    });
  });

  it('is that of the command', async () => {
    const key = { id: 'key_01JD3Z8Q4W0V6S8H2N5B7C9E1F', key: 'ic_live_example' };
    for (const source of ['https://example.com/a b.jpg?x=1', 'store:photos/a b.jpg']) {
      let printed = '';
      const args = [
        'sign',
        source,
        '--key-id',
        key.id,
        '--options',
        'w:800,f:auto',
        '--base-url',
        'https://i.example.com/',
      ];
      const io = { env: { IMAGECREW_KEY: key.key }, out: (text: string) => (printed += text), err: () => {} };
      assert.equal(await runCli(args, io), 0);
      const signed = await signImageAddress('https://i.example.com', key, source, { w: 800, f: 'auto' });
      assert.equal(printed, `${signed}\n`);
    }
  });

  it('is one of several in a srcset', async () => {
    const key = { id: 'key_01JD3Z8Q4W0V6S8H2N5B7C9E1F', key: 'ic_live_example' };
    const srcset = await signSrcset('https://i.example.com', key, 'https://example.com/a.jpg', [400, 800], {
      f: 'auto',
    });
    assert.match(srcset, /^https:\S+\/f:auto,w:400\/plain\/https:\S+ 400w, https:\S+\/f:auto,w:800\/\S+ 800w$/);
  });
});

describe('the command sign', () => {
  it('names what is missing or wrong', async () => {
    const run = async (args: readonly string[], env = {}) => {
      let printed = '';
      const io = { env, out: () => {}, err: (text: string) => (printed += text) };
      return { status: await runCli(['sign', ...args], io), printed };
    };
    const id = ['--key-id', 'key_01JD3Z8Q4W0V6S8H2N5B7C9E1F'];
    const env = { IMAGECREW_KEY: 'ic_live_example' };
    assert.match((await run(['https://example.com/a.jpg'], env)).printed, /--key-id/);
    assert.match((await run(['https://example.com/a.jpg', ...id])).printed, /IMAGECREW_KEY/);
    assert.match((await run(['https://example.com/a.jpg', ...id, '--options', 'wx:1'], env)).printed, /wx/);
    assert.match((await run(['nonsense', ...id], env)).printed, /source/);
  });
});
