import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { createDecoder } from '../../../base/parameter-decoder.ts';
import { MAX_JSON_DEPTH } from '../../../server/http/json-reader.ts';
import { failureOf } from '../../support/failure.ts';
import { type TestService, withService } from '../../support/service.ts';
import { openSocket, readResponse, sendRaw } from '../../support/socket.ts';
import { verifies } from '../../support/verifies.ts';

const PATH = '/api/v1/admin/accounts';
const TOKEN = 'correct-horse';
const LIMIT = 64 * 1024;
const CARL = '{"name":"carl","plan":"free"}';

interface JsonService extends TestService {
  /** Sends a body; resolves to the status and, for an error, its code and message. */
  post(body: BodyInit, headers?: Record<string, string>): Promise<{ status: number; code?: string; message?: string }>;
}

async function withJsonService(
  work: (door: JsonService) => Promise<void>,
  env: Record<string, string> = {},
): Promise<void> {
  await withService(
    async (service) => {
      const post: JsonService['post'] = async (body, headers = { 'content-type': 'application/json' }) => {
        const answer = await fetch(service.origin + PATH, {
          method: 'POST',
          body,
          headers: { authorization: `Bearer ${TOKEN}`, ...headers },
          duplex: 'half',
        } as RequestInit);
        const { error = {} } = (await answer.json()) as { error?: object };
        return { status: answer.status, ...error };
      };
      await work({ ...service, post });
    },
    { env: { IC_ADMIN_TOKEN: TOKEN, ...env } },
  );
}

const head = (...lines: string[]) =>
  [`POST ${PATH} HTTP/1.1`, 'Host: a', `Authorization: Bearer ${TOKEN}`, ...lines, '', ''].join('\r\n');

const JSON_HEAD = 'Content-Type: application/json';

/** Creates a body without Content-Length. */
const streamed = (text: string) => new Blob([text]).stream();

describe('a JSON body', () => {
  it('is accepted as application/json in any spelling', async () => {
    await withJsonService(async ({ post }) => {
      for (const [n, type] of [
        'application/json',
        'Application/JSON;charset=utf-8',
        ' application/json ; a=b',
      ].entries())
        assert.equal((await post(`{"name":"a${n}","plan":"free"}`, { 'content-type': type })).status, 201);
      assert.equal((await post(streamed(CARL))).status, 201);
    });
  });

  it('is rejected with another type or a content encoding', async () => {
    await withJsonService(async ({ post, port, services }) => {
      for (const type of [
        'text/plain',
        'application/x-www-form-urlencoded',
        'application/jsonp',
        'multipart/form-data',
      ]) {
        const { status, code, message } = await post(CARL, { 'content-type': type });
        assert.deepEqual([status, code], [415, 'unsupported_media_type']);
        assert.equal(message, `Expected application/json for Content-Type but received "${type}".`);
      }
      const untyped = await sendRaw(port, `${head(`Content-Length: ${CARL.length}`)}${CARL}`);
      assert.equal(untyped.status, 415);
      assert.match(untyped.body, /for Content-Type but received nothing/);
      const packed = await post(CARL, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      assert.deepEqual([packed.status, packed.code], [415, 'unsupported_media_type']);
      assert.equal((await services.database.accounts.list()).length, 2);
    });
  });

  it('fails with invalid_request if it is not a JSON object', async () => {
    verifies('error.malformed-request');
    await withJsonService(async ({ post }) => {
      for (const body of [
        '',
        '{',
        '{"name":"carl",}',
        "{'name':'carl'}",
        `${CARL}${CARL}`,
        '[]',
        'null',
        '"carl"',
        '5',
      ]) {
        const { status, code } = await post(body);
        assert.deepEqual([status, code], [400, 'invalid_request'], body);
      }
      const latin1 = Buffer.from('{"name":"Žiga","plan":"free"}', 'latin1');
      latin1[9] = 0xe9;
      assert.equal((await post(new Uint8Array(latin1))).code, 'invalid_request');
    });
  });

  it('may have at most 64 KiB', async () => {
    await withJsonService(async ({ post, port, services }) => {
      const tooLong = CARL.padEnd(LIMIT + 1);
      for (const body of [tooLong, streamed(tooLong)]) {
        const { status, code, message } = await post(body);
        assert.deepEqual([status, code], [400, 'invalid_request']);
        assert.match(message ?? '', /at most 65536 bytes of JSON/);
      }
      const announced = await sendRaw(port, head(JSON_HEAD, 'Content-Length: 2000000000'));
      assert.equal(announced.status, 400);
      assert.equal((await post(CARL.padEnd(LIMIT))).status, 201);
      assert.equal(services.uploads.heldBytes, 0);
    });
  });

  it('is rejected if it is nested deeper than any parameter', async () => {
    await withJsonService(async ({ post }) => {
      const nested = (depth: number) => `{"plan":"free","name":${'['.repeat(depth)}${']'.repeat(depth)}}`;
      const codes = [MAX_JSON_DEPTH - 1, MAX_JSON_DEPTH, 32_000].map(async (depth) => (await post(nested(depth))).code);
      assert.deepEqual(await Promise.all(codes), ['invalid_parameter', 'invalid_request', 'invalid_request']);
    });
  });

  it('that stops half way gets upload_timeout', async () => {
    await withJsonService(
      async ({ port, services }) => {
        const { status, body } = await sendRaw(port, `${head(JSON_HEAD, 'Content-Length: 100')}{"name"`);
        assert.deepEqual([status, JSON.parse(body).error.code], [408, 'upload_timeout']);
        assert.equal(services.uploads.heldBytes, 0);
      },
      { IC_UPLOAD_TIMEOUT_S: '1' },
    );
  });

  it('gets 100 Continue only if the request is acceptable', async () => {
    await withJsonService(async ({ port }) => {
      const expecting = [JSON_HEAD, `Content-Length: ${CARL.length}`, 'Expect: 100-continue'];
      const socket = await openSocket(port);
      socket.write(head(...expecting));
      const [leave] = await once(socket, 'data');
      assert.match(String(leave), /^HTTP\/1\.1 100 /);
      socket.write(CARL);
      assert.equal((await readResponse(socket)).status, 201);
      socket.destroy();
      assert.equal((await sendRaw(port, head(...expecting).replace(TOKEN, 'wrong'))).status, 401);
    });
  });

  it('leaves nothing behind when its client disconnects', async () => {
    await withJsonService(async ({ port, services, http, logged }) => {
      const socket = await openSocket(port);
      socket.write(head(JSON_HEAD, 'Content-Length: 1000', 'Expect: 100-continue'));
      await once(socket, 'data');
      socket.write(CARL);
      while (services.uploads.heldBytes < CARL.length) await new Promise(setImmediate);
      socket.destroy();
      await http.drain(10_000);
      while (services.uploads.heldBytes > 0) await new Promise(setImmediate);
      assert.equal(logged().at(-1)?.status, 499);
    });
  });

  it('is counted in the log, which contains none of it', async () => {
    await withJsonService(async ({ post, logged }) => {
      await post(CARL);
      const [line] = logged();
      assert.deepEqual([line?.operation, line?.bytes_in], ['admin_create_account', CARL.length]);
      assert.doesNotMatch(JSON.stringify(logged()), /carl/);
    });
  });
});

describe('the JSON decoder', () => {
  const decoder = createDecoder(
    z.strictObject({
      limit: z.int().min(1).max(9).nullable().default(null),
      tags: z.array(z.enum(['a', 'b'])).default(['a']),
      marks: z.array(z.int().min(1)).nullable().exactOptional(),
    }),
  );
  const decode = (values: Record<string, unknown>) => decoder.complete(decoder.fromJson(values));
  const refuse = async (values: Record<string, unknown>) =>
    (await failureOf('invalid_parameter', () => decode(values))).message;

  it('accepts null and lists where they are declared', () => {
    assert.deepEqual(decode({}), { limit: null, tags: ['a'] });
    assert.deepEqual(decode({ limit: 9, tags: [], marks: null }), { limit: 9, tags: [], marks: null });
    assert.deepEqual(decode({ limit: null, tags: ['b', 'a'], marks: [5] }), {
      limit: null,
      tags: ['b', 'a'],
      marks: [5],
    });
  });

  it('explains what it expects', async () => {
    const forLimit = 'Expected an integer from 1 to 9 or null for limit but received';
    assert.equal(await refuse({ limit: 10 }), `${forLimit} 10.`);
    assert.equal(await refuse({ limit: '5' }), `${forLimit} "5".`);
    const forTags = 'Expected a list whose items are each one of a, b for tags but received';
    assert.equal(await refuse({ tags: ['c'] }), `${forTags} ["c"].`);
    assert.equal(await refuse({ tags: null }), `${forTags} null.`);
    assert.equal(await refuse({ tags: { 0: 'a' } }), `${forTags} {"0":"a"}.`);
    assert.equal(
      await refuse({ marks: [0] }),
      'Expected a list whose items are each an integer of at least 1 or null for marks but received [0].',
    );
  });

  it('accepts no lists in a query', async () => {
    await failureOf('invalid_parameter', () => decoder.fromText([['tags', 'a']]));
  });
});
