/** /api/v1/pipelines over HTTP. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { timestamp } from '../../../base/timestamp.ts';
import { MAX_SAVED_PIPELINES } from '../../../server/pipelines/saved-endpoints.ts';
import { type TestOptions, type TestService, withService } from '../../support/service.ts';
import { verifies } from '../../support/verifies.ts';

const PATH = '/api/v1/pipelines';
const NOW = Date.UTC(2026, 10, 21, 5, 20);

type Json = Record<string, unknown>;
interface Answer {
  status: number;
  body: Json;
  headers: Headers;
}

interface SavedPipelineService extends TestService {
  /** Sends JSON with a key. @param key default: the key of the Pro account */
  send(method: string, path?: string, body?: unknown, key?: string): Promise<Answer>;
}

const withSavedPipelines = (work: (shelf: SavedPipelineService) => Promise<void>, options?: TestOptions) =>
  withService(async (service) => {
    const send: SavedPipelineService['send'] = async (method, path = '', body = undefined, key = service.keys.pro) => {
      const answer = await fetch(service.origin + PATH + path, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: answer.status, body: (await answer.json()) as Json, headers: answer.headers };
    };
    await work({ ...service, send });
  }, options);

function errorOf({ status, body }: Answer): unknown[] {
  const { code, param } = body.error as Json;
  return [status, code, param];
}

const shop = (width: number, more: object = {}) => ({
  name: 'shop',
  pipeline: { steps: [{ op: 'resize', params: { width } }], ...more },
});
const steps = (width: number) => [{ op: 'resize', params: { width } }];

describe('POST /api/v1/pipelines', () => {
  it('returns 201 for a new version, and 200 if nothing changed', async () => {
    verifies('pipelines.save', 'pipelines.save.new-version');
    const clock = { time: NOW };
    await withSavedPipelines(
      async ({ send }) => {
        const first = await send('POST', '', shop(10, { name: 'other', description: 'Small', output_name: '{name}' }));
        assert.equal(first.status, 201);
        assert.equal(first.headers.get('x-quota-meter'), 'none');
        const record = {
          name: 'shop',
          version: 1,
          versions: 1,
          description: 'Small',
          steps: steps(10),
          output_name: '{name}',
          outputs: null,
          created_at: timestamp(NOW),
          updated_at: timestamp(NOW),
        };
        assert.deepEqual(first.body, record);
        clock.time += 1000;
        const same = await send('POST', '', shop(10, { description: 'Small', output_name: '{name}' }));
        assert.deepEqual([same.status, same.body], [200, record]);
        const next = await send('POST', '', { name: 'shop', pipeline: { steps: [{ params: {}, op: 'blur-faces' }] } });
        assert.equal(next.status, 201);
        assert.deepEqual(next.body, {
          ...record,
          version: 2,
          versions: 2,
          description: null,
          steps: [{ op: 'blur_faces', params: {} }],
          output_name: null,
          updated_at: timestamp(NOW + 1000),
        });
      },
      { now: () => clock.time },
    );
  });

  it('accepts valid names only', async () => {
    verifies('pipelines.save.name-length', 'pipelines.save.required');
    await withSavedPipelines(async ({ send, services }) => {
      const save = (name: unknown) => send('POST', '', { ...shop(1), name });
      for (const name of ['a', '0', 'A b._-', 'n'.repeat(60), 'Web', 'constructor'])
        assert.equal((await save(name)).status, 201, name);
      for (const name of ['', ' a', '.a', '-a', 'a/b', 'a\\b', 'ž', 'a\n', 'n'.repeat(61), 5, null, undefined, ['a']]) {
        const answer = await save(name);
        assert.deepEqual(errorOf(answer), [400, 'invalid_parameter', 'name'], JSON.stringify(name));
      }
      const account = await services.database.accounts.findByName('ben');
      assert.equal(await services.database.pipelines.countNames(account!.id), 6);
    });
  });

  it('rejects the names of templates', async () => {
    await withSavedPipelines(async ({ send }) => {
      for (const name of ['web', 'archive'])
        assert.deepEqual(errorOf(await send('POST', '', { ...shop(1), name })), [409, 'name_reserved', 'name']);
    });
  });

  it('reports what is wrong with the body', async () => {
    await withSavedPipelines(async ({ send, origin, keys }) => {
      const cases: [unknown, unknown[]][] = [
        [{ name: 'shop' }, [400, 'invalid_pipeline', 'pipeline']],
        [{ name: 'shop', pipeline: '{"steps":[{"op":"orient"}]}' }, [400, 'invalid_pipeline', 'pipeline']],
        [{ name: 'shop', pipeline: { steps: [] } }, [400, 'invalid_pipeline', 'steps']],
        [shop(0), [400, 'invalid_pipeline', 'steps[0].params.width']],
        [{ ...shop(1), version: 2 }, [400, 'invalid_parameter', 'version']],
        [[], [400, 'invalid_request', undefined]],
      ];
      for (const [body, error] of cases) assert.deepEqual(errorOf(await send('POST', '', body)), error);
      assert.deepEqual(errorOf(await send('POST', '?a=1', shop(1))), [400, 'invalid_parameter', 'a']);
      const plain = await fetch(origin + PATH, {
        method: 'POST',
        body: 'a',
        headers: { authorization: `Bearer ${keys.pro}` },
      });
      assert.equal(plain.status, 415);
      // A pipeline of more than 64 KiB is accepted.
      const large = {
        name: 'large',
        pipeline: { steps: Array(20).fill({ op: 'orient', when: { format: Array(470).fill('jpeg') } }) },
      };
      assert.ok(JSON.stringify(large).length > 64 * 1024);
      assert.equal((await send('POST', '', large)).status, 201);
    });
  });

  it('loses none of many simultaneous requests', async () => {
    await withSavedPipelines(async ({ send }) => {
      const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => send('POST', '', shop(index + 1))));
      const versions = answers.map(({ body }) => Number(body.version)).sort((one, other) => one - other);
      assert.deepEqual(
        versions,
        Array.from({ length: 20 }, (_, index) => index + 1),
      );
    });
  });

  it('limits the names of an account, but not their versions', async () => {
    await withSavedPipelines(async ({ send, services: { database } }) => {
      const { id: accountId } = (await database.accounts.findByName('ben'))!;
      const content = { description: null, outputName: null, outputs: null, steps: '[{"op":"orient","params":{}}]' };
      await database.transaction(async ({ pipelines }) => {
        for (let n = 1; n < MAX_SAVED_PIPELINES; n += 1)
          await pipelines.save({ accountId, name: `p${n}` }, content, timestamp(NOW));
      });
      assert.equal((await send('POST', '', shop(1))).status, 201);
      assert.deepEqual(errorOf(await send('POST', '', { ...shop(1), name: 'more' })), [507, 'storage_full', 'name']);
      assert.equal((await send('POST', '', shop(2))).status, 201);
      const names = ((await send('GET')).body.pipelines as Json[]).map(({ name }) => name);
      assert.equal(names.length, MAX_SAVED_PIPELINES);
      await send('DELETE', '/p1');
      assert.equal((await send('POST', '', { ...shop(1), name: 'more' })).status, 201);
    });
  });
});

describe('GET /api/v1/pipelines', () => {
  it('lists the latest version of each pipeline by name, and the templates', async () => {
    verifies('pipelines.list', 'pipelines.list.templates');
    await withSavedPipelines(async ({ send, services: { database } }) => {
      const empty = await send('GET');
      assert.deepEqual(empty.body.pipelines, []);
      for (const [name, width] of [
        ['shop', 1],
        ['shop', 2],
        ['Alpha', 3],
      ] as const)
        await send('POST', '', { ...shop(width), name });
      // A pipeline of another account.
      const { id: accountId } = (await database.accounts.findByName('anna'))!;
      await database.pipelines.save(
        { accountId, name: 'theirs' },
        { description: null, outputName: null, outputs: null, steps: '[]' },
        timestamp(NOW),
      );
      const { body } = await send('GET');
      assert.deepEqual(
        (body.pipelines as Json[]).map((each) => [each.name, each.version, each.versions, each.steps]),
        [
          ['Alpha', 1, 1, steps(3)],
          ['shop', 2, 2, steps(2)],
        ],
      );
      const templates = body.templates as Json[];
      assert.deepEqual(
        templates.map(({ name }) => name),
        ['web', 'thumbnail', 'social-card', 'avatar', 'product-white', 'privacy', 'email', 'archive'],
      );
      for (const template of templates) {
        assert.deepEqual(Object.keys(template), ['name', 'description', 'steps', 'output_name', 'outputs']);
        assert.deepEqual((await send('GET', `/${template.name}`)).body, template);
        // A template can be saved under another name.
        assert.equal((await send('POST', '', { name: `my ${template.name}`, pipeline: template })).status, 201);
      }
      assert.deepEqual(errorOf(await send('GET', '?limit=5')), [400, 'invalid_parameter', 'limit']);
    });
  });

  it('returns any version of a pipeline', async () => {
    verifies('pipelines.get', 'pipelines.get.version');
    await withSavedPipelines(async ({ send }) => {
      for (const width of [1, 2]) await send('POST', '', { ...shop(width), name: 'my shop' });
      const latest = await send('GET', '/my%20shop');
      assert.deepEqual([latest.status, latest.body.version, latest.body.versions], [200, 2, 2]);
      assert.deepEqual((await send('GET', '/my%20shop?version=1')).body.steps, steps(1));
      for (const path of ['/my%20shop?version=3', '/web?version=1', '/my%20shop?version=1000000'])
        assert.deepEqual(errorOf(await send('GET', path)), [404, 'preset_not_found', 'version'], path);
      for (const path of ['/My%20shop', '/none', '/..%2f..%2fetc'])
        assert.deepEqual(errorOf(await send('GET', path)), [404, 'preset_not_found', 'name'], path);
      for (const version of ['0', '1000001', 'a', ''])
        assert.deepEqual(errorOf(await send('GET', `/my%20shop?version=${version}`)), [
          400,
          'invalid_parameter',
          'version',
        ]);
    });
  });
});

describe('DELETE /api/v1/pipelines/{name}', () => {
  it('deletes every version', async () => {
    verifies('pipelines.delete');
    await withSavedPipelines(async ({ send }) => {
      for (const width of [1, 2, 3]) await send('POST', '', shop(width));
      const deleted = await send('DELETE', '/shop');
      assert.deepEqual([deleted.status, deleted.body], [200, { deleted: true, name: 'shop', versions: 3 }]);
      for (const method of ['DELETE', 'GET'])
        assert.deepEqual(errorOf(await send(method, '/shop')), [404, 'preset_not_found', 'name']);
      assert.deepEqual(errorOf(await send('DELETE', '/web')), [404, 'preset_not_found', 'name']);
      assert.equal((await send('POST', '', shop(3))).body.version, 1);
    });
  });
});

describe('every endpoint of saved pipelines', () => {
  it('rejects a free account', async () => {
    verifies('auth.pro.pipelines');
    await withSavedPipelines(async ({ send, keys }) => {
      for (const key of [keys.free, keys.test])
        for (const [method, path, body] of [
          ['GET', ''],
          ['POST', '', shop(1)],
          ['GET', '/web'],
          ['DELETE', '/web'],
        ] as const)
          assert.deepEqual(errorOf(await send(method, path, body, key)), [403, 'upgrade_required', 'pipelines']);
    });
  });

  it('is free', async () => {
    await withSavedPipelines(async ({ send, services }) => {
      for (const [method, path, body] of [
        ['POST', '', shop(1)],
        ['GET', ''],
        ['GET', '/shop'],
        ['DELETE', '/shop'],
      ] as const)
        assert.equal((await send(method, path, body)).headers.get('x-quota-meter'), 'none');
      const account = await services.database.accounts.findByName('ben');
      assert.deepEqual(await services.database.usage.ofMonth(account!.id, new Date().toISOString().slice(0, 7)), []);
    });
  });
});
