import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { issueKey } from '../../../server/account/keys.ts';
import { CheckedAddresses } from '../../../server/image-delivery/checked-addresses.ts';
import { withDatabase } from '../../support/database.ts';
import { forbiddenAddresses } from '../../support/forbidden-addresses.ts';
import { withServer } from '../../support/http-server.ts';
import { signedAddress } from '../../support/image-addresses.ts';
import { isNightly } from '../../support/nightly.ts';
import { Random } from '../../support/random.ts';
import { codeOf, withDelivery } from './address-tools.ts';

const MUTATIONS = isNightly ? 100_000 : 3000;
const CHARACTERS = [...'abcABC019-_.:,%/~'];

describe('the signature of an address', () => {
  it('is not that of a mutated address', async () => {
    await withDatabase(async (database) => {
      const { id: accountId } = await database.accounts.create({ name: 'anna', email: null, plan: 'free' });
      const options = { accountId, name: 'a', mode: 'live', scopes: [], monthlyLimit: null, expiresAt: null } as const;
      const { record, key } = await issueKey(database.keys, options);
      const config = {
        sources: new Map(),
        deliveryHosts: [],
        deliverySizes: [],
        deliveryMaxSide: 10_000,
        deliveryUnsignedKey: undefined,
      };
      const addresses = new CheckedAddresses({ database, config, now: Date.now });
      const signing = { id: record.id, text: key };
      const address = signedAddress(signing, '/w:100,f:auto/plain/https://example.com/a/photo.jpg');
      await addresses.check(address);
      const random = new Random(1);
      let refused = 0;
      for (let n = 0; n < MUTATIONS; n += 1) {
        const at = '/i/'.length + random.integer(address.length - '/i/'.length);
        const character = random.pick(CHARACTERS);
        const kinds = [
          address.slice(0, at) + character + address.slice(at + 1),
          address.slice(0, at) + character + address.slice(at),
          address.slice(0, at) + address.slice(at + 1),
          address.slice(0, at),
        ];
        const mutated = random.pick(kinds);
        if (mutated === address) continue;
        await assert.rejects(addresses.check(mutated), { code: 'invalid_signature' }, mutated);
        refused += 1;
      }
      assert.ok(refused > MUTATIONS * 0.9);
    });
  });
});

describe('the source of an address', () => {
  it('is never private', async () => {
    let reached = 0;
    await withServer(
      (_, res) => {
        reached += 1;
        res.end('private');
      },
      async ({ port }) => {
        await withDelivery(
          async ({ sign, origin }) => {
            for (const { url } of forbiddenAddresses(port)) {
              const response = await fetch(origin + sign('w:10', url));
              assert.match(await codeOf(response), /^4\d\d (?:url_not_allowed|invalid_url|url_fetch_failed)$/, url);
            }
          },
          { env: { IC_ALLOW_PRIVATE_ADDRESSES: '' } },
        );
      },
    );
    assert.equal(reached, 0);
  });
});
