import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { issueKey } from '../../../server/account/keys.ts';
import { Uploads } from '../../../server/http/uploads.ts';
import { failureOf } from '../../support/failure.ts';
import { withService } from '../../support/service.ts';

describe('Uploads', () => {
  it('rejects a reservation that does not fit beside the others, and accepts it once there is space', async () => {
    const uploads = new Uploads(100);
    const [first, second] = [uploads.open(), uploads.open()];
    first.reserve(60);
    second.reserve(40);
    const failure = await failureOf('overloaded', () => second.reserve(41));
    assert.ok((failure.retryAfter ?? 0) > 0);
    assert.equal(uploads.heldBytes, 100);
    first.release();
    second.reserve(100);
    second.release();
    second.release();
    assert.equal(uploads.heldBytes, 0);
  });

  it('leaves memory for other accounts, whatever one of them sends', async () => {
    const uploads = new Uploads(100);
    const rooms = Array.from({ length: 6 }, () => uploads.open('one'));
    for (const room of rooms.slice(0, 5)) room.reserve(10);
    await failureOf('overloaded', () => rooms[5]!.reserve(10));
    const other = uploads.open('other');
    other.reserve(50);
    await failureOf('overloaded', () => rooms[5]!.reserve(1));
    other.release();
    rooms[0]!.release();
    rooms[5]!.reserve(10);
    for (const room of rooms) room.release();
    assert.equal(uploads.heldBytes, 0);
    rooms[0]!.reserve(100);
  });

  it('counts texts separately, and leaves memory for those of other accounts', async () => {
    const uploads = new Uploads(100, 60);
    const [first, second, other] = [uploads.open('one'), uploads.open('one'), uploads.open('other')];
    first.reserve(90);
    first.reserveText(20);
    second.reserveText(20);
    await failureOf('overloaded', () => second.reserveText(21));
    other.reserveText(20);
    first.release(90);
    await failureOf('overloaded', () => other.reserveText(21));
    first.release();
    other.reserveText(40);
  });

  it('lets a single body exceed the limit and grow', () => {
    const room = new Uploads(10).open();
    room.reserve(5);
    room.reserve(500);
  });
});

describe('every endpoint with a body', () => {
  const pipeline = { steps: [{ op: 'resize', params: { width: 10 } }] };
  const BODIES: Readonly<Record<string, object>> = {
    '/api/v1/jobs': { images: ['https://example.com/a.jpg'], pipeline },
    '/api/v1/pipelines': { name: 'mine', pipeline },
    '/api/mcp': { jsonrpc: '2.0', id: 1, method: 'ping' },
  };
  for (const [path, body] of Object.entries(BODIES))
    it(`leaves memory for other accounts: ${path}`, async () => {
      await withService(async ({ call, services: { uploads, database, config }, keys }) => {
        const account = (await database.accounts.findByName('ben'))!;
        const other = await database.accounts.create({ name: 'cara', email: null, plan: 'pro' });
        const options = { name: 'live', mode: 'live', scopes: [], monthlyLimit: null, expiresAt: null } as const;
        const { key } = await issueKey(database.keys, { ...options, accountId: other.id });
        const statusOf = async (authorization: string) => {
          const headers = {
            authorization: `Bearer ${authorization}`,
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
          };
          const response = await call(path, { method: 'POST', headers, body: JSON.stringify(body) });
          await response.arrayBuffer();
          return response.status;
        };
        uploads.open(account.id).reserve(0.6 * config.uploadBytes);
        assert.equal(await statusOf(keys.pro), 503);
        assert.notEqual(await statusOf(key), 503);
      });
    });
});
