import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { creationDecoder } from '../../../server/sites/create.ts';
import { scanSettingsSchema } from '../../../server/sites/settings.ts';
import { type SiteFiles, withSite } from '../../server/sites/runner/scan-desk.ts';
import { withFolder } from '../../support/folder.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { browserSkipReason } from '../../support/separate-browser.ts';
import { documentOf, drawTestImages, LOCAL_SITE_OPTIONS, type Run, run } from './command.ts';

const page = (body: string) => `<!doctype html><title>Page</title>\n${body}`;
const script = (text: string) => `<script>${text}</script>`;

const pathOf = (url: string) => new URL(url).pathname;

/** Returns the images by path, with the roles of their places and their largest displayed size. */
function imagesOf(result: Run) {
  const { assets } = documentOf(result) as unknown as {
    assets: {
      url: string;
      bytes: number | null;
      roles: string[];
      largest_displayed: { width: number; height: number; source: string } | null;
      optimized: { width: number } | null;
    }[];
  };
  return new Map(assets.map((asset) => [pathOf(asset.url), asset]));
}

async function photos(...paths: string[]): Promise<SiteFiles> {
  const images = await drawTestImages();
  return Object.fromEntries(paths.map((path, index) => [path, images.file('photo', index + 1)]));
}

const LAZY = `const watch = new IntersectionObserver((entries) => entries.forEach(({ target, isIntersecting }) => {
  if (isIntersecting) target.src = target.dataset.photo + '.jpg';
}));
document.querySelectorAll('[data-photo]').forEach((image) => watch.observe(image));`;

describe('--render', { skip: browserSkipReason, timeout: 600_000 }, () => {
  it('finds images and links that scripts add to a page', { skip: nightlyOnly }, async () => {
    const app = `const root = document.querySelector('#root');
root.innerHTML = '<img src="/photo.jpg" width="480" height="360"><a href="/more.html">More</a>';
fetch('/data.json').then((answer) => answer.json()).then(({ src }) => {
  const image = new Image();
  image.src = src;
  root.append(image);
});`;
    const files = {
      '/': page('<div id="root"></div><script src="/app.js"></script>'),
      '/app.js': { headers: { 'content-type': 'text/javascript' }, body: app },
      '/data.json': { headers: { 'content-type': 'application/json' }, body: '{"src": "/fetched.jpg"}' },
      '/more.html': page('<p>More</p>'),
      ...(await photos('/photo.jpg', '/fetched.jpg')),
    };
    await withSite(files, async (site) => {
      const plain = await run(['scan', site.origin, ...LOCAL_SITE_OPTIONS, '--json']);
      assert.deepEqual([...imagesOf(plain).keys()], []);
      assert.deepEqual(documentOf(plain).scan.warnings, ['needs_javascript']);

      const rendered = await run(['scan', site.origin, ...LOCAL_SITE_OPTIONS, '--json', '--render']);
      assert.deepEqual([rendered.status, rendered.err], [0, '']);
      const { scan, pages, assets } = documentOf(rendered);
      assert.deepEqual(scan.warnings, []);
      assert.deepEqual(pages.map(({ url }) => pathOf(url)).sort(), ['/', '/more.html']);
      assert.deepEqual(
        assets.map(({ url, places }) => [pathOf(url), places.map(({ role, line }) => `${role} ${line}`)]),
        [
          ['/photo.jpg', ['rendered 0']],
          ['/fetched.jpg', ['rendered 0']],
        ],
      );
    });
  });

  it('loads lazy images to the end of the page, and in shadow trees', { skip: nightlyOnly }, async () => {
    const shadow = `const shadow = document.querySelector('#host').attachShadow({ mode: 'open' });
shadow.innerHTML = '<img src="/shadow.jpg">';`;
    const body = [
      '<div style="height: 9000px"></div><img data-photo="/lazy">',
      '<div style="height: 9000px"></div><img data-photo="/last"><div id="host"></div>',
      script(LAZY),
      script(shadow),
    ].join('\n');
    const files = { '/': page(body), ...(await photos('/lazy.jpg', '/last.jpg', '/shadow.jpg')) };
    await withSite(files, async (site) => {
      const images = imagesOf(await run(['scan', site.origin, ...LOCAL_SITE_OPTIONS, '--json', '--render']));
      assert.deepEqual([...images.keys()].sort(), ['/last.jpg', '/lazy.jpg', '/shadow.jpg']);
      for (const { roles, largest_displayed } of images.values()) {
        assert.deepEqual(roles, ['rendered']);
        assert.deepEqual(largest_displayed, { width: 480, height: 360, source: 'rendered' });
      }
    });
  });

  it('only ever enlarges a displayed size, and resizes nothing because of it', { skip: nightlyOnly }, async () => {
    const files = {
      '/': page(
        [
          '<style>body { margin: 0 } .wide { width: 100% !important } .small { width: 30px; height: auto }</style>',
          '<img src="/wide.jpg" class="wide" width="100">',
          '<img src="/small.jpg" class="small" width="480" height="360">',
          '<img src="/unknown.jpg" style="width: 5vw; height: auto">',
          '<img src="/certain.jpg" width="100" height="75">',
        ].join('\n'),
      ),
      ...(await photos('/wide.jpg', '/small.jpg', '/unknown.jpg', '/certain.jpg')),
    };
    await withFolder(async (folder) => {
      await withSite(files, async (site) => {
        const output = ['-o', join(folder, 'package'), '--min-savings-bytes', '0', '--min-savings-percent', '0'];
        const images = imagesOf(
          await run(['optimize', site.origin, ...output, ...LOCAL_SITE_OPTIONS, '--json', '--render']),
        );
        const facts = [...images].map(([path, { largest_displayed: shown, optimized }]) => [
          path,
          shown && `${shown.width} x ${shown.height} ${shown.source}`,
          optimized?.width,
        ]);
        assert.deepEqual(facts, [
          ['/wide.jpg', '2560 x 1920 rendered', 480],
          ['/small.jpg', '480 x 360 attribute', 480],
          ['/unknown.jpg', '128 x 96 rendered', 480],
          // No style sheet can enlarge this image, so it is resized.
          ['/certain.jpg', '100 x 75 attribute', 200],
        ]);
      });
    });
  });

  it('reads pages that hang, show dialogs, navigate away or open windows, and continues with the others', {
    skip: nightlyOnly,
  }, async () => {
    const image = (name: string) => `<img src="/${name}.jpg" alt="x">`;
    const pages: Record<string, string> = {
      '/': ['loop', 'dialogs', 'leaves', 'fine'].map((name) => `<a href="/${name}.html">${name}</a>`).join('\n'),
      '/loop.html': `${image('loop')}${script('for (;;) {}')}`,
      '/dialogs.html': `${image('dialogs')}${script("alert(1); confirm('2'); prompt('3'); document.body.append(Object.assign(new Image(), { src: '/asked.jpg' }))")}`,
      '/leaves.html': `${image('leaves')}${script("open('/opened.html'); location.href = '/elsewhere.html'")}`,
      '/fine.html': script("document.write('<img src=/fine.jpg>')"),
    };
    const files = {
      ...Object.fromEntries(Object.entries(pages).map(([path, body]) => [path, page(body)])),
      ...(await photos('/loop.jpg', '/dialogs.jpg', '/asked.jpg', '/leaves.jpg', '/fine.jpg')),
    };
    await withSite(files, async (site) => {
      const result = await run(['scan', site.origin, ...LOCAL_SITE_OPTIONS, '--json', '--render']);
      assert.deepEqual([result.status, result.err], [0, '']);
      const images = [...imagesOf(result).keys()].sort();
      assert.deepEqual(images, ['/asked.jpg', '/dialogs.jpg', '/fine.jpg', '/leaves.jpg', '/loop.jpg']);
      assert.deepEqual(documentOf(result).scan.warnings, ['not_rendered']);
      assert.ok(!site.requests.some((request) => request.endsWith('/elsewhere.html')));
    });
  });

  it('renders a folder, whose pages can reach nothing else', { skip: nightlyOnly }, async () => {
    const images = await drawTestImages();
    await withSite({ '/secret.jpg': images.file('photo', 2) }, async (other) => {
      let connections = 0;
      other.onRequest = () => {
        connections += 1;
      };
      const socket = `ws://127.0.0.1:${other.port}/`;
      const attack = `
fetch('${other.origin}/fetch').catch(() => {});
fetch('${other.origin}/post', { method: 'POST', mode: 'no-cors', body: 'x' }).catch(() => {});
navigator.sendBeacon('${other.origin}/beacon', 'x');
new WebSocket('${socket}');
new Worker(URL.createObjectURL(new Blob(["fetch('${other.origin}/worker'); new WebSocket('${socket}')"])));
document.write('<iframe src="${other.origin}/frame"></iframe><img src="${other.origin}/secret.jpg"><link rel="prefetch" href="${other.origin}/prefetch">');
open('${other.origin}/window');`;
      await withFolder(async (folder) => {
        const body = `<div id="root"></div><script src="app.js"></script>${script(attack)}`;
        await writeFile(join(folder, 'index.html'), page(body));
        const app = "document.querySelector('#root').innerHTML = '<img src=\"photo.jpg\">'";
        await writeFile(join(folder, 'app.js'), app);
        await writeFile(join(folder, 'photo.jpg'), images.file('photo', 1));
        const guarded = imagesOf(await run(['scan', folder, '--json', '--delay-ms', '0', '--render']));
        assert.equal(connections, 0);
        assert.equal(guarded.get('/photo.jpg')!.bytes, images.file('photo', 1).length);
        assert.equal(guarded.get('/secret.jpg')!.bytes, null);

        // From a host that may be reached, only robots.txt and images are fetched. No data is sent to it.
        await run(['scan', folder, '--json', ...LOCAL_SITE_OPTIONS, '--render']);
        const paths = other.requests.map((request) => request.split(' ')[1]);
        assert.deepEqual([...new Set(paths)].sort(), ['/robots.txt', '/secret.jpg']);
      });
    });
  });
});

describe('--render without Chromium', () => {
  it('fails at once, and says how to fix it', async () => {
    await withSite({ '/': page('<p>Text</p>') }, async (site) => {
      const env = { PATH: '' };
      const { status, out, err } = await run(['scan', site.origin, ...LOCAL_SITE_OPTIONS, '--render'], { env });
      assert.deepEqual([status, out], [2, '']);
      assert.match(
        err,
        /^Expected an installed Chromium for --render but received none[.] Chromium was not found: install it, or name it in IC_CHROMIUM[.]\n$/,
      );
      assert.deepEqual(site.requests, []);
    });
  });
});

describe('the rendering browser', { skip: browserSkipReason, timeout: 600_000 }, () => {
  it('has no network access, not even for WebSocket and WebRTC', { skip: nightlyOnly }, async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    const datagrams = createSocket('udp4', () => {
      connections += 1;
    }).bind(0, '127.0.0.1');
    await Promise.all([once(server, 'listening'), once(datagrams, 'listening')]);
    const { port } = server.address() as AddressInfo;
    const sends = `new WebSocket('ws://127.0.0.1:${port}/');
const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${datagrams.address().port}' }] });
peer.createDataChannel('x');
peer.createOffer().then((offer) => peer.setLocalDescription(offer)).then(() => document.write('<img src="photo.jpg">'));`;
    try {
      await withFolder(async (folder) => {
        await writeFile(join(folder, 'index.html'), page(script(sends)));
        await writeFile(join(folder, 'photo.jpg'), (await drawTestImages()).file('photo', 1));
        const images = imagesOf(await run(['scan', folder, '--json', ...LOCAL_SITE_OPTIONS, '--render']));
        assert.deepEqual([...images.keys()], ['/photo.jpg']);
      });
    } finally {
      server.close();
      datagrams.close();
    }
    assert.equal(connections, 0);
  });
});

describe('the service', () => {
  it('does not accept the render setting', () => {
    assert.equal(scanSettingsSchema.safeParse({ render: true }).success, false);
    assert.throws(() => creationDecoder.fromJson({ url: 'https://example.com', render: true }), /render/);
  });
});
