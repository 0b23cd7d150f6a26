import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { CheckedAddresses } from '../../../server/image-delivery/checked-addresses.ts';
import { parseOptions } from '../../../server/image-delivery/options.ts';
import { withFolder } from '../../support/folder.ts';
import { signedAddress } from '../../support/image-addresses.ts';
import { repositoryFile } from '../../support/repository.ts';
import { bytesOf, codeOf, MISSING, withDelivery } from './address-tools.ts';

/** Sends a path as it is; fetch would remove `..` from it. */
async function statusOf(url: string): Promise<number> {
  const { port, origin } = new URL(url);
  const [response] = (await once(get({ port, path: url.slice(origin.length) }), 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode!;
}

describe('an image by its address', () => {
  it('is made with the options and sent with what caches and pages need', async () => {
    const body = Buffer.from('the bytes of an image');
    await withDelivery(
      async ({ image, engine, asked }) => {
        const response = await image('w:400,h:300,fit:cover,q:60,f:webp,crop:1%2C2%2C30%2C40');
        assert.equal(response.status, 200);
        assert.deepEqual(await bytesOf(response), body);
        assert.equal(response.headers.get('content-type'), 'image/webp');
        assert.match(response.headers.get('cache-control')!, /^public, max-age=\d+, s-maxage=\d+, stale-while-reval/);
        assert.match(response.headers.get('etag')!, /^"[0-9a-f]{64}"$/);
        assert.equal(response.headers.get('access-control-allow-origin'), '*');
        assert.equal(response.headers.get('cross-origin-resource-policy'), 'cross-origin');
        assert.equal(response.headers.get('x-ic-cache'), 'miss');
        assert.match(response.headers.get('server-timing')!, /^cache;desc=miss, fetch;dur=/);
        assert.equal(response.headers.get('vary'), null);
        const { width, height, fit, quality, format, crop } = engine.calls[0]!.input.params as Record<string, unknown>;
        const made = { width: 400, height: 300, fit: 'cover', quality: 60, format: 'webp', crop: '1,2,30,40' };
        assert.deepEqual({ width, height, fit, quality, format, crop }, made);
        assert.deepEqual(asked, ['/photo.png']);
      },
      { body },
    );
  });

  it('is not made again, and costs one request', async () => {
    await withDelivery(async ({ image, engine, services, key, asked }) => {
      const first = await bytesOf(await image('w:100'));
      const again = await image('w:100');
      assert.equal(again.headers.get('x-ic-cache'), 'hit');
      assert.deepEqual(await bytesOf(again), first);
      await image('width:100,exp:9999999999,e:placeholder');
      assert.equal(engine.calls.length, 1);
      assert.equal(asked.length, 1);
      const month = new Date().toISOString().slice(0, 7);
      const { requests } = await services.database.meters.read({ subject: key.accountId, period: month });
      assert.equal(requests, 1);
    });
  });

  it('answers HEAD, conditional and range requests', async () => {
    await withDelivery(async ({ image, origin, sign, web }) => {
      const whole = await bytesOf(await image('w:100'));
      const url = origin + sign('w:100', `${web}/photo.png`);
      const head = await fetch(url, { method: 'HEAD' });
      assert.equal(head.headers.get('content-length'), String(whole.length));
      const [etag, changed] = [head.headers.get('etag')!, head.headers.get('last-modified')!];
      assert.equal((await fetch(url, { headers: { 'if-none-match': etag } })).status, 304);
      assert.equal((await fetch(url, { headers: { 'if-modified-since': changed } })).status, 304);
      const earlier = new Date(Date.parse(changed) - 1000).toUTCString();
      assert.equal((await fetch(url, { headers: { 'if-modified-since': earlier } })).status, 200);
      assert.equal(
        (await fetch(url, { headers: { 'if-none-match': '"x"', 'if-modified-since': changed } })).status,
        200,
      );
      const part = await fetch(url, { headers: { range: 'bytes=10-19' } });
      assert.equal(part.status, 206);
      assert.deepEqual(await bytesOf(part), whole.subarray(10, 20));
    });
  });

  it('has a source in base64url, with one slash, or with a query', async () => {
    await withDelivery(async ({ image, asked, web, origin, key }) => {
      await image('w:10', `${web}/a%20b.png?size=1&x=%2F#part`);
      for (const source of [
        Buffer.from(`${web}/c.png`).toString('base64url'),
        `plain/${web.replace('//', '/')}/d.png`,
      ]) {
        const response = await fetch(origin + signedAddress(key, `/w:10/${source}`));
        assert.equal(response.status, 200, source);
      }
      assert.deepEqual(asked, ['/a%20b.png?size=1&x=%2F', '/c.png', '/d.png']);
    });
  });

  it('is refused before any work without the right signature', async () => {
    await withDelivery(async ({ sign, origin, web, engine, asked, services, key }) => {
      const address = sign('w:100', `${web}/photo.png`);
      const [, , signature] = address.split('/');
      const mac = signature!.split('.')[1]!;
      const flipped = mac.slice(0, -1) + (mac.endsWith('A') ? 'B' : 'A');
      for (const wrong of [
        address.replace('w:100', 'w:101'),
        address.replace('photo', 'other'),
        address.replace(mac, flipped),
        address.replace(key.id, `key_${'0'.repeat(26)}`),
        address.replace(signature!, 'unsigned'),
        address.replace(signature!, mac),
        address.replace(`/${signature}`, ''),
      ]) {
        const response = await fetch(origin + wrong);
        assert.equal(await codeOf(response), '403 invalid_signature', wrong);
      }
      assert.equal((await fetch(origin + address)).status, 200);
      await services.database.keys.revoke(key.id);
      assert.equal(await codeOf(await fetch(origin + sign('w:7', `${web}/photo.png`))), '403 invalid_signature');
      assert.equal(engine.calls.length, 1);
      assert.equal(asked.length, 1);
    });
  });

  it('expires', async () => {
    let now = Date.UTC(2026, 10, 29);
    await withDelivery(
      async ({ image }) => {
        const options = `w:10,exp:${now / 1000 + 60}`;
        const response = await image(options);
        assert.equal(
          response.headers.get('cache-control'),
          'public, max-age=60, s-maxage=60, stale-while-revalidate=0',
        );
        now += 60_000;
        assert.equal(await codeOf(await image(options)), '410 expired');
      },
      { now: () => now },
    );
  });

  it('names wrong options', async () => {
    await withDelivery(async ({ image, engine, asked }) => {
      for (const [options, code] of [
        ['w:0', '400 invalid_parameter'],
        ['w:10001', '400 invalid_parameter'],
        ['mh:6000,dpr:2', '400 invalid_parameter'],
        ['percent:101', '400 invalid_parameter'],
        ['print_width:1000,dpi:300,enlarge:true', '400 invalid_parameter'],
        ['w:1,width:2', '400 invalid_parameter'],
        ['nosuch:1', '400 invalid_parameter'],
        ['w', '400 invalid_request'],
        [':1', '400 invalid_request'],
        ['watermark_text:%E0', '400 invalid_request'],
        ['p:shop,w:1', '400 conflicting_parameters'],
        ['p:nosuch', '404 preset_not_found'],
        ['m:target', '400 invalid_parameter'],
      ] as const)
        assert.equal(await codeOf(await image(options)), code, options);
      assert.equal(engine.calls.length, 0);
      assert.deepEqual(asked, []);
    });
  });

  it('shows a grey area in place of an error if asked to', async () => {
    await withDelivery(async ({ image, web }) => {
      const response = await image('w:40,h:30,e:placeholder', web + MISSING);
      assert.equal(response.status, 422);
      assert.equal(response.headers.get('content-type'), 'image/svg+xml');
      assert.match(await response.text(), /width="40" height="30"/);
    });
  });

  it('is logged without its address', async () => {
    await withDelivery(async ({ image, web, logged, sign, origin }) => {
      await image('w:10', `${web}/secret.png?token=abc`);
      const line = logged().find(({ operation }) => operation === 'deliver_image')!;
      assert.equal(line.path, '/i/');
      const address = sign('w:11', `${web}/secret.png`);
      await fetch(origin + address, { method: 'POST' });
      for (const path of [`/${address}`, address.replace('/i/', '/%69/'), '/i/secret'])
        assert.equal(await statusOf(origin + path), 404);
      assert.doesNotMatch(JSON.stringify(logged()), /secret|token/);
    });
  });
});

describe('a folder of IC_SOURCES', () => {
  it('gives its files, and nothing outside of it', async () => {
    await withFolder(async (folder) => {
      const photos = join(folder, 'photos');
      await mkdir(join(photos, 'sub'), { recursive: true });
      await writeFile(join(photos, 'sub', 'a b.png'), 'inside');
      await writeFile(join(folder, 'secret.png'), 'outside');
      await symlink(join(folder, 'secret.png'), join(photos, 'link.png'));
      await promisify(execFile)('mkfifo', [join(photos, 'pipe.png')]);
      await withDelivery(
        async ({ image, origin, sign }) => {
          assert.equal((await bytesOf(await image('w:10', 'store:photos/sub/a b.png'))).toString(), 'inside');
          const alias = await image('w:10', 'store:photos//sub//a b.png');
          assert.equal(alias.headers.get('x-ic-cache'), 'hit');
          for (const path of [
            '../secret.png',
            'sub/../../secret.png',
            'link.png',
            'sub',
            'pipe.png',
            'none.png',
            'sub/',
          ])
            assert.equal(await statusOf(`${origin}${sign('w:10', `store:photos/${path}`)}`), 404, path);
          assert.equal(await codeOf(await image('w:10', 'store:other/a.png')), '400 url_not_allowed');
        },
        { env: { IC_SOURCES: `photos=${photos}` } },
      );
    });
  });
});

describe('the guide', () => {
  it('names options that are accepted, in place of those of other programs', async () => {
    const guide = await readFile(repositoryFile('docs/guides/image-delivery.md'), 'utf8');
    const rows = guide.slice(guide.indexOf('## Coming from')).matchAll(/^\|[^|]*\| `([^`]+)`[^|]*\|/gm);
    const options = [...rows].map(([, text]) => text!);
    assert.ok(options.length > 30, options.join(' '));
    for (const text of options) assert.doesNotThrow(() => parseOptions(text), text);
  });
});

describe('the limits of the operator', () => {
  it('are hosts and sizes', async () => {
    const env = { IC_DELIVERY_HOSTS: '*.example.com, 127.0.0.1', IC_DELIVERY_SIZES: '100,200' };
    await withDelivery(
      async ({ image }) => {
        assert.equal((await image('w:100,h:200,dpr:2')).status, 200);
        assert.equal(await codeOf(await image('w:101')), '400 invalid_parameter');
        assert.equal(await codeOf(await image('mw:50')), '400 invalid_parameter');
        assert.equal(await codeOf(await image('w:100,dpr:2.1')), '400 invalid_parameter');
        assert.equal(await codeOf(await image('percent:50')), '400 invalid_parameter');
        assert.equal(await codeOf(await image('w:100', 'http://127.0.0.2/a.png')), '400 url_not_allowed');
        assert.equal(await codeOf(await image('w:100', 'http://example.com/a.png')), '400 url_not_allowed');
      },
      { env },
    );
  });

  it('open addresses without a signature', async () => {
    await withFolder(async (folder) => {
      await writeFile(join(folder, 'a.png'), 'bytes');
      const env = { IC_SOURCES: `photos=${folder}`, IC_DELIVERY_SIZES: '100' };
      await withDelivery(
        async ({ origin, key, services }) => {
          const get = (path: string) => fetch(`${origin}/i/unsigned/${path}`);
          assert.equal(await codeOf(await get('w:100/store:photos/a.png')), '403 invalid_signature');
          const config = { ...services.config, deliveryUnsignedKey: key.id };
          const { now, database } = services;
          const addresses = new CheckedAddresses({ database, config, now });
          const { caller } = await addresses.check('/i/unsigned/w:100,f:auto/store:photos/a.png');
          assert.equal(caller.account.id, key.accountId);
          for (const path of [
            'w:100/plain/https://example.com/a.png',
            'w:100,q:60/store:photos/a.png',
            'tag:x/store:photos/a.png',
          ])
            await assert.rejects(addresses.check(`/i/unsigned/${path}`), { code: 'invalid_signature' }, path);
          const noSizes = new CheckedAddresses({ database, now, config: { ...config, deliverySizes: [] } });
          await assert.rejects(noSizes.check('/i/unsigned/w:100/store:photos/a.png'), { code: 'invalid_signature' });
          await noSizes.check('/i/unsigned/p:shop/store:photos/a.png');
        },
        { env },
      );
    });
  });
});
