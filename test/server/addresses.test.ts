import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AddressPolicy, isBlock } from '../../server/http/addresses.ts';

const REFUSED = {
  'this network': ['0.0.0.0', '0.1.2.3'],
  loopback: ['127.0.0.1', '127.255.255.254', '::1'],
  private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fdff::1'],
  'link-local': ['169.254.169.254', 'fe80::1', 'febf::1'],
  'with a zone': ['fe80::1%eth0', '2606:4700::1%1'],
  'carrier-grade NAT': ['100.64.0.1', '100.127.255.255'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1'],
  'broadcast and reserved': ['255.255.255.255', '240.0.0.1', '192.0.0.8'],
  'documentation and benchmarks': ['192.0.2.1', '198.51.100.1', '203.0.113.1', '198.18.0.1', '2001:db8::1', '3fff::1'],
  unspecified: ['::'],
  'IPv4 inside IPv6': ['::ffff:127.0.0.1', '::ffff:a00:1', '::ffff:0:127.0.0.1', '::127.0.0.1', '::8.8.8.8'],
  NAT64: ['64:ff9b::7f00:1', '64:ff9b::808:808', '64:ff9b:1::1'],
  '6to4 and Teredo': ['2002:7f00:1::', '2002:808:808::1', '2001::1', '2001:0:4136:e378::1'],
  'IPv6 not given out': ['4000::1', 'fec0::1', '100::1', '5f00::1', '2001:2::1', '2001:10::1'],
  'no address': ['', 'localhost', '127.1', '0x7f000001', '2130706433', '1.2.3.4.5', '127.0.0.1.'],
};

const PUBLIC = [
  '8.8.8.8',
  '1.1.1.1',
  '172.32.0.1',
  '100.128.0.1',
  '193.2.1.66',
  '2606:4700:4700::1111',
  '2a00:1450::1',
];

describe('AddressPolicy', () => {
  const policy = new AddressPolicy([]);

  for (const [kind, addresses] of Object.entries(REFUSED)) {
    it(`rejects ${kind}`, () => {
      for (const address of addresses) assert.equal(policy.refusal(address, 443), 'address', address);
    });
  }

  it('allows public addresses on web ports only', () => {
    for (const address of [...PUBLIC, '::ffff:8.8.8.8']) {
      for (const port of [80, 443, 8080, 8443]) assert.equal(policy.refusal(address, port), undefined, address);
      for (const port of [0, 22, 25, 81, 6379, 8081]) assert.equal(policy.refusal(address, port), 'port', address);
    }
  });

  it('allows the configured blocks on any port, and nothing else', () => {
    const open = new AddressPolicy(['127.0.0.0/8', '10.1.0.0/16', 'fd00::/8', '203.0.113.7/32']);
    for (const address of ['127.0.0.1', '127.9.9.9', '10.1.255.255', 'fd12::1', '203.0.113.7', '::ffff:127.0.0.1']) {
      assert.equal(open.refusal(address, 6379), undefined, address);
    }
    for (const address of ['10.2.0.0', 'fc00::1', '203.0.113.8', '::1', '192.168.0.1', 'fd12::1%eth0']) {
      assert.equal(open.refusal(address, 80), 'address', address);
    }
    assert.equal(open.refusal('8.8.8.8', 6379), 'port');
  });
});

describe('isBlock', () => {
  it('accepts full CIDR notation only', () => {
    for (const block of ['10.0.0.0/8', '0.0.0.0/0', '127.0.0.1/32', '::1/128', 'fd00::/8'])
      assert.ok(isBlock(block), block);
    for (const text of ['', '10.0.0.1', '10/8', '0xa.0.0.0/8', '10.0.0.0/33', '::/129', '10.0.0.0/-1', 'a/8']) {
      assert.equal(isBlock(text), false, text);
    }
  });
});
