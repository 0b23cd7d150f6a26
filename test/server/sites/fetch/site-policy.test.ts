import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HttpSiteClient } from '../../../../server/sites/fetch/http-site-client.ts';
import { checkSiteAddress, SitePolicy } from '../../../../server/sites/fetch/site-policy.ts';
import { failureOf } from '../../../support/failure.ts';

const OWN = { baseUrl: 'https://images.example.com/service', host: '8.8.4.4', port: 8080 };

/** Returns the message with which an address is refused, or undefined if it is allowed. */
async function refusalOf(url: string, allowPrivateAddresses: string[] = [], own = OWN): Promise<string | undefined> {
  const { baseUrl, ...config } = own;
  const check = () => checkSiteAddress(url, { baseUrl, config: { ...config, allowPrivateAddresses } });
  try {
    check();
    return undefined;
  } catch {
    return (await failureOf('url_not_allowed', check)).message;
  }
}

const ofThisService = 'Expected the address of another service for url but received one of this service.';
const withoutDomain = 'Expected a host name with a domain, without a dot at its end, for url but received another one.';

describe('the URL of a website', () => {
  it('is normalized', () => {
    const facts = { baseUrl: OWN.baseUrl, config: { ...OWN, allowPrivateAddresses: [] } };
    assert.equal(checkSiteAddress('HTTP://WWW.Example.com:80/a/../b?c', facts).href, 'http://www.example.com/b?c');
    assert.equal(checkSiteAddress('https://čebelar.example', facts).hostname, 'xn--ebelar-h2a.example');
  });

  it('must not be this service', async () => {
    for (const url of [
      'https://images.example.com/',
      'http://images.example.com/a',
      'https://IMAGES.example.com/',
      'http://8.8.4.4:8080/',
      'http://134743044:8080/',
      'http://[::ffff:8.8.4.4]:8080/',
    ]) {
      assert.equal(await refusalOf(url), ofThisService, url);
    }
    for (const url of [
      'https://example.com/',
      'https://www.images.example.com/',
      'https://images.example.com:8443/',
      'http://8.8.4.4/',
      'http://8.8.8.8:8080/',
    ]) {
      assert.equal(await refusalOf(url), undefined, url);
    }
  });

  it('may be this service if its address is allowed', async () => {
    const local = { baseUrl: 'http://127.0.0.1:3000', host: '127.0.0.1', port: 3000 };
    assert.notEqual(await refusalOf('http://127.0.0.1:3000/', [], local), undefined);
    assert.equal(await refusalOf('http://127.0.0.1:3000/', ['127.0.0.0/8'], local), undefined);
    assert.notEqual(await refusalOf('http://127.0.0.1:3000/', ['10.0.0.0/8'], local), undefined);
    assert.equal(await refusalOf('http://8.8.4.4:8080/', ['8.8.4.0/24']), undefined);
    assert.equal(await refusalOf('http://8.8.4.4:8080/', ['8.8.8.0/24']), ofThisService);
  });

  it('needs a domain, unless private hosts are allowed', async () => {
    for (const url of ['http://router/', 'http://localhost:8080/', 'http://router.', 'http://example.com./']) {
      assert.equal(await refusalOf(url), withoutDomain, url);
    }
    assert.equal(await refusalOf('http://router:3000/', ['192.168.0.0/16']), undefined);
    assert.equal(await refusalOf('http://example.com./', ['192.168.0.0/16']), withoutDomain);
    assert.equal(await refusalOf('http://[2606:4700::1]/'), undefined);
  });
});

describe('connections of a scan', () => {
  const site = new URL('http://images.example.com/');

  it('to this service are refused, under any host name', () => {
    const policy = new SitePolicy([], OWN);
    const other = policy.for(new URL('https://example.com:8080/'));
    assert.equal(other.refusal('8.8.4.4', 8080), 'own');
    assert.equal(other.refusal('::ffff:8.8.4.4', 8080), 'own');
    assert.equal(other.refusal('8.8.4.4', 443), undefined);
    assert.equal(policy.for(site).refusal('93.184.215.14', 80), 'own');
  });

  it('to this service are allowed only at allowed addresses', () => {
    const policy = new SitePolicy(['10.0.0.0/8'], OWN);
    assert.equal(policy.for(site).refusal('10.1.2.3', 80), undefined);
    assert.equal(policy.for(site).refusal('93.184.215.14', 80), 'own');
  });

  it('to the addresses that the public name of this service resolves to are refused', async () => {
    const client = new HttpSiteClient({
      allowPrivate: ['10.0.0.0/8'],
      userAgent: 'ImagecrewBot/test',
      pace: { concurrency: 1, delayMs: 0 },
      isExempt: () => true,
      own: OWN,
      resolve: async () => [
        { address: '93.184.215.14', family: 4 },
        { address: '169.254.169.254', family: 4 },
      ],
    });
    const request = { url: site.href, accept: '*/*', maxBytes: 1, signal: new AbortController().signal };
    assert.equal((await failureOf('url_not_allowed', () => client.fetch(request))).message, ofThisService);
    client.close();
  });

  // A service that listens on 0.0.0.0 is reachable at all addresses of its machine.
  it('to the addresses of this machine are recognized', () => {
    const everywhere = new SitePolicy([], { ...OWN, host: '0.0.0.0' });
    assert.equal(everywhere.for(new URL('http://example.com:8080/')).refusal('127.0.0.1', 8080), 'address');
    assert.equal(everywhere.for(new URL('http://example.com:8080/')).refusal('8.8.4.4', 8080), undefined);
  });
});
