import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Failure } from '../../../base/failure.ts';
import { createLog } from '../../../server/log.ts';
import { HttpSiteClient } from '../../../server/sites/fetch/http-site-client.ts';
import type { SiteClient } from '../../../server/sites/fetch/site-client.ts';
import { checkSiteAddress } from '../../../server/sites/fetch/site-policy.ts';
import { ScanRunner } from '../../../server/sites/runner/runner.ts';
import { RUNNING_STATUSES } from '../../../server/sites/states.ts';
import type { SiteScan } from '../../../storage/records/site-scans.ts';
import { type DnsServer, withDnsServer } from '../../support/dns-server.ts';
import { failureOf } from '../../support/failure.ts';
import { withFolder } from '../../support/folder.ts';
import {
  addForbiddenNames,
  type ForbiddenAddress,
  forbiddenAddresses,
  startCanary,
} from '../../support/forbidden-addresses.ts';
import { type TestServer, withServer } from '../../support/http-server.ts';
import { SCANS, type ScanTestService, withDesk } from './desk.ts';

/** Address of a website that may be scanned. The canary listens on another address, on the same port. */
const SITE = '127.0.0.2';
const CANARY = '127.0.0.1';

interface Setting {
  client: SiteClient;
  dns: DnsServer;
  port: number;
  /** Host headers of the requests to the website. */
  asked: string[];
  fetch: (url: string) => ReturnType<SiteClient['fetch']>;
}

const sendPage = (_request: IncomingMessage, response: ServerResponse) => void response.end('page');

/** Runs `work`, then asserts that nothing has connected to the canary. */
async function withCanary(
  listener: RequestListener,
  allowPrivate: string[],
  work: (setting: Setting) => Promise<void>,
) {
  const asked: string[] = [];
  const noting: RequestListener = (request, response) => {
    asked.push(request.headers.host ?? '');
    listener(request, response);
  };
  await withDnsServer(async (dns) => {
    addForbiddenNames(dns);
    // The canary chooses the port. Nearly all other servers use its address, so a port may be taken there.
    const canary = await startCanary();
    try {
      const check = async ({ port }: TestServer) => {
        const client = new HttpSiteClient({
          allowPrivate,
          userAgent: 'ImagecrewBot/test',
          pace: { concurrency: 2, delayMs: 0 },
          // If nothing may be reached, robots.txt is requested first.
          isExempt: () => allowPrivate.length > 0,
          resolve: dns.resolve,
        });
        const { signal } = new AbortController();
        try {
          const fetch = (url: string) => client.fetch({ url, accept: '*/*', maxBytes: 1000, signal });
          await work({ client, dns, port, asked, fetch });
          assert.equal(canary.connections, 0);
        } finally {
          client.close();
        }
      };
      await withServer(noting, check, { host: SITE, port: canary.port });
    } finally {
      await canary.close();
    }
  });
}

describe('the address guard of scans', () => {
  it('refuses every spelling of every address that is not public', async () => {
    await withCanary(sendPage, [], async ({ fetch, client, port, asked }) => {
      for (const { url, code } of forbiddenAddresses(port)) {
        const { message } = await failureOf(code, () => fetch(url)).catch((error) => assert.fail(`${url} ${error}`));
        assert.doesNotMatch(message, /127|localhost|geheim|passwd|:\d/, url);
        if (code === 'url_not_allowed') {
          await failureOf(code, () => client.robots(url, new AbortController().signal));
        }
      }
      assert.deepEqual(asked, []);
    });
  });

  it('refuses these addresses where others are allowed, and as the target of a redirect', async () => {
    let location = '';
    const redirect: RequestListener = (_request, response) => response.writeHead(302, { location }).end();
    await withCanary(redirect, [`${SITE}/32`], async ({ fetch, port, asked }) => {
      let redirects = 0;
      for (const { url, code } of forbiddenAddresses(port)) {
        await failureOf(code, () => fetch(url)).catch((error) => assert.fail(`${url} ${error}`));
        // A header cannot hold other characters, and a redirect needs a valid URL.
        if (/[^ -~]/.test(url) || !URL.canParse(url)) continue;
        location = url;
        await failureOf(code, () => fetch(`http://${SITE}:${port}/`)).catch((error) =>
          assert.fail(`to ${url} ${error}`),
        );
        redirects += 1;
      }
      assert.equal(asked.length, redirects);
      assert.ok(redirects > 50, `${redirects}`);
    });
  });

  it('refuses before the scan starts all addresses that need no DNS lookup', () => {
    const config = { host: '127.0.0.1', port: 8080, allowPrivateAddresses: [] };
    const facts = { baseUrl: 'https://images.example.com', config };
    const passed = forbiddenAddresses(8080).filter(({ url, code }) => {
      try {
        checkSiteAddress(url, facts);
        return true;
      } catch (error) {
        assert.ok(error instanceof Failure && error.code === code, url);
        return false;
      }
    });
    // Only names with a domain are left. They are checked when connecting.
    for (const { url } of passed) assert.match(new URL(url).hostname, /^(?:sub\.localhost|[a-z0-9]+\.test)$/);
  });

  describe('a host name whose DNS response changes', () => {
    const closing: RequestListener = (_request, response) => response.setHeader('connection', 'close').end('page');

    it('is resolved again for each connection, and refused once it is private', async () => {
      await withCanary(closing, [`${SITE}/32`], async ({ fetch, dns, port, asked }) => {
        dns.names.set('rebind.test', [[SITE], [CANARY]]);
        assert.equal((await fetch(`http://rebind.test:${port}/`)).status, 200);
        await failureOf('url_not_allowed', () => fetch(`http://rebind.test:${port}/`));
        await failureOf('url_not_allowed', () => fetch(`http://rebind.test:${port}/`));
        assert.deepEqual(dns.asked, ['rebind.test', 'rebind.test', 'rebind.test']);
        assert.deepEqual(asked, [`rebind.test:${port}`]);
      });
    });

    it('keeps the checked address as long as its connection is kept alive', async () => {
      await withCanary(sendPage, [`${SITE}/32`], async ({ fetch, dns, port, asked }) => {
        dns.names.set('rebind.test', [[SITE], [CANARY]]);
        for (let times = 0; times < 3; times += 1) await fetch(`http://rebind.test:${port}/`);
        assert.deepEqual(dns.asked, ['rebind.test']);
        assert.equal(asked.length, 3);
      });
    });

    it('is refused for a redirect to itself, and for the page after its robots.txt', async () => {
      const leading: RequestListener = ({ url }, response) => {
        response.setHeader('connection', 'close');
        if (url === '/start') response.writeHead(302, { location: '/inside' }).end();
        else response.end('User-agent: *');
      };
      await withCanary(leading, [`${SITE}/32`], async ({ fetch, client, dns, port, asked }) => {
        dns.names.set('redirect.test', [[SITE], [CANARY]]);
        await failureOf('url_not_allowed', () => fetch(`http://redirect.test:${port}/start`));
        dns.names.set('robots.test', [[SITE], [CANARY]]);
        await client.robots(`http://robots.test:${port}/`, new AbortController().signal);
        await failureOf('url_not_allowed', () => fetch(`http://robots.test:${port}/`));
        assert.equal(asked.length, 2);
      });
    });

    it('is refused when it resolves to a private and a public address', async () => {
      const mixed = [
        [SITE, CANARY],
        [CANARY, SITE],
        [SITE, '10.0.0.1', '169.254.169.254'],
        ['::1', SITE],
        ['::ffff:127.0.0.1', SITE],
        ['64:ff9b::7f00:1', '2002:7f00:1::', SITE],
        [CANARY],
      ];
      await withCanary(closing, [`${SITE}/32`], async ({ fetch, dns, port, asked }) => {
        for (const [index, addresses] of mixed.entries()) {
          dns.names.set(`mixed${index}.test`, [addresses]);
          await failureOf('url_not_allowed', () => fetch(`http://mixed${index}.test:${port}/`));
        }
        dns.names.set('both.test', [[SITE, SITE]]);
        assert.equal((await fetch(`http://both.test:${port}/`)).status, 200);
        assert.equal(asked.length, 1);
      });
    });

    it('is refused when it does not resolve', async () => {
      await withCanary(sendPage, [], async ({ fetch }) => {
        const { message } = await failureOf('url_fetch_failed', () => fetch('http://unknown.test/'));
        assert.match(message, /no address for its host name/);
      });
    });
  });
});

const OPTIMIZE = '/api/v1/sites/optimize';
const AT_A_TIME = 8;
const PLANS = { pro: { requests_per_minute: null, websites: 1000, scan_pages: 100, running_scans: AT_A_TIME } };

interface ForbiddenPage {
  url: string;
  error: { code: string } | null;
}

/** Runs `work` with a service that runs its scans. */
async function withScans(
  dns: DnsServer,
  allowed: string,
  work: (desk: ScanTestService) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const plans = join(folder, 'plans.json');
    await writeFile(plans, JSON.stringify(PLANS));
    const env = { IC_PLANS_FILE: plans, IC_ALLOW_PRIVATE_ADDRESSES: allowed, IC_SCANS_RUNNING: `${AT_A_TIME}` };
    await withDesk(
      async (desk) => {
        const runner = new ScanRunner({ services: desk.service.services, log: createLog('error') });
        await runner.start();
        try {
          await work(desk);
        } finally {
          await runner.stop();
        }
      },
      { env, resolve: dns.resolve },
    );
  });
}

/** Waits until nothing works on a scan any more and returns the scan. */
async function waitForScan({ service }: ScanTestService, id: string): Promise<SiteScan> {
  const { database, scans } = service.services;
  for (;;) {
    let unwatch = () => {};
    const changed = new Promise<void>((resolve) => {
      unwatch = scans.events.watch(id, () => resolve());
    });
    const scan = (await database.siteScans.find(id))!;
    if (RUNNING_STATUSES.has(scan.status)) await changed;
    unwatch();
    if (!RUNNING_STATUSES.has(scan.status)) return scan;
  }
}

/** Returns the error code with which an address is refused, at once or by its scan. */
async function refusalOf(desk: ScanTestService, path: string, url: string): Promise<string | null> {
  const { status, body } = await desk.send<{ id: string }>('POST', path, { url });
  return status >= 400 ? body.error.code : (await waitForScan(desk, body.id)).errorCode;
}

/** Asserts that each address is refused at each path. Checks several at a time. */
async function eachRefused(desk: ScanTestService, paths: readonly string[], addresses: readonly ForbiddenAddress[]) {
  const all = paths.flatMap((path) => addresses.map((each) => ({ path, ...each })));
  const work = async () => {
    for (let next = all.pop(); next; next = all.pop()) {
      const { path, url, code } = next;
      assert.equal(await refusalOf(desk, path, url), code, `${path} ${url}`);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
}

describe('the address guard of the API', { timeout: 120_000 }, () => {
  it('refuses every spelling of every address, for scans and for optimize runs', async () => {
    // If an address is allowed, ports are not restricted and names are resolved.
    await withCanary(sendPage, [`${SITE}/32`], async ({ dns, port, asked }) => {
      // Text without a scheme is read as a host name, which is unknown.
      const addresses = forbiddenAddresses(port).map(({ url, code }) => ({
        url,
        code: url === 'javascript:1' ? 'url_fetch_failed' : code,
      }));
      await withScans(dns, `${SITE}/32`, (desk) => eachRefused(desk, [SCANS, OPTIMIZE], addresses));
      assert.deepEqual(asked, []);
    });
  });

  it('refuses redirects to these addresses, and host names with changing or mixed DNS responses', async () => {
    const locations: string[] = [];
    const leading: RequestListener = ({ url = '' }, response) => {
      response.setHeader('connection', 'close');
      const location = locations[Number(url.slice(1))];
      if (location === undefined) response.writeHead(404).end();
      else response.writeHead(302, { location }).end();
    };
    await withCanary(leading, [`${SITE}/32`], async ({ dns, port, asked }) => {
      // A header cannot hold other characters, and a redirect needs a valid URL.
      const ends = forbiddenAddresses(port).filter(({ url }) => !/[^ -~]/.test(url) && URL.canParse(url));
      const redirects = ends.map(({ url, code }) => ({
        url: `http://${SITE}:${port}/${locations.push(url) - 1}`,
        code,
      }));
      assert.ok(redirects.length > 50);
      const code = 'url_not_allowed';
      await withScans(dns, `${SITE}/32`, async (desk) => {
        await eachRefused(desk, [OPTIMIZE], redirects);
        // Two requests for each: robots.txt and the page.
        assert.equal(asked.length, 2 * redirects.length);
        asked.length = 0;
        const urls = redirects.map(({ url }) => url).join('\n');
        const settings = { delay_ms: 0 };
        const { body } = await desk.send('POST', SCANS, { source: 'list', urls, optimize: 'manual', settings });
        assert.equal((await waitForScan(desk, body.id)).status, 'ready');
        const { pages } = (await desk.send<{ pages: ForbiddenPage[] }>('GET', `${SCANS}/${body.id}/pages?limit=500`))
          .body;
        assert.deepEqual(
          pages.map(({ url, error }) => ({ url, code: error?.code })),
          redirects,
        );
        assert.equal(asked.length, 1 + redirects.length);
        for (const path of [SCANS, OPTIMIZE]) {
          asked.length = 0;
          const name = `${path.slice(-5)}.test`;
          dns.names.set(`changing-${name}`, [[SITE], [CANARY]]);
          assert.equal(await refusalOf(desk, path, `http://changing-${name}:${port}/`), code);
          assert.deepEqual(asked, [`changing-${name}:${port}`], 'robots.txt alone');
          dns.names.set(`mixed-${name}`, [[SITE, CANARY]]);
          assert.equal(await refusalOf(desk, path, `http://mixed-${name}:${port}/`), code);
          assert.equal(asked.length, 1);
        }
      });
    });
  });
});
