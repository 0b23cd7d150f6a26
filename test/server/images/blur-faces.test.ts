/** POST /api/v1/blur-faces over HTTP: parameters, responses, cost and errors. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { issueKey } from '../../../server/account/keys.ts';
import { type TestService, withService } from '../../support/service.ts';
import { verifies } from '../../support/verifies.ts';

const PATH = '/api/v1/blur-faces';
const BODY = 'any bytes';

/** Makes the engine return a result with three covered areas. */
function answerWithCoveredAreas(service: TestService, warnings: 'no_faces_found'[] = []): void {
  service.engine.answers['blur-faces'] = {
    data: new TextEncoder().encode('12345').buffer as ArrayBuffer,
    format: 'png',
    width: 20,
    height: 30,
    dpi: null,
    outcome: 'done',
    warnings,
    source: { format: 'png', bytes: BODY.length, width: 20, height: 30 },
    phases: { decode: 1, process: 2, encode: 3 },
    faces: warnings.length > 0 ? 0 : 3,
  };
}

/** Creates another key of the free account, with the scope `ai`. */
async function aiKey({ services: { database } }: TestService) {
  const account = await database.accounts.findByName('anna');
  const { key } = await issueKey(database.keys, {
    accountId: account!.id,
    name: 'faces',
    mode: 'live',
    scopes: ['ai'],
    monthlyLimit: null,
    expiresAt: null,
  });
  return { authorization: `Bearer ${key}` };
}

const post = ({ call }: TestService, query: string, headers: Record<string, string> = {}) =>
  call(`${PATH}?${query}`, { method: 'POST', body: BODY, headers });
const errorOf = async (answer: Response) =>
  ((await answer.json()) as { error: { code: string; message: string; param?: string } }).error;
const boxes = (count: number) => Array.from({ length: count }, (_, index) => `${index},0,5,5`).join(';');

describe('POST /api/v1/blur-faces', () => {
  it('returns the image and the number of areas', async () => {
    verifies('blur-faces.endpoint', 'header.x-ic-faces');
    await withService(async (service) => {
      answerWithCoveredAreas(service);
      const answer = await post(service, 'filename=team.png', await aiKey(service));
      assert.deepEqual([answer.status, await answer.text()], [200, '12345']);
      const expected = {
        'content-type': 'image/png',
        'cache-control': 'no-store',
        'x-ic-faces': '3',
        'x-ic-format': 'png',
        'x-ic-outcome': 'done',
        'x-ic-width': '20',
        'x-ic-height': '30',
        'x-ic-warnings': null,
      };
      const names = Object.keys(expected);
      assert.deepEqual(Object.fromEntries(names.map((name) => [name, answer.headers.get(name)])), expected);
    });
  });

  it('returns the same values in the record of a stored result', async () => {
    verifies('blur-faces.output-json');
    await withService(async (service) => {
      answerWithCoveredAreas(service);
      const record = (await (await post(service, 'output=json&boxes=1,2,3,4')).json()) as Record<string, unknown>;
      assert.deepEqual([record.faces, record.format, record.outcome, record.warnings], [3, 'png', 'done', []]);
      assert.equal(await (await service.call(new URL(String(record.url)).pathname)).text(), '12345');
    });
  });

  it('warns if it found no faces', async () => {
    await withService(async (service) => {
      answerWithCoveredAreas(service, ['no_faces_found']);
      const answer = await post(service, '', await aiKey(service));
      assert.deepEqual(
        ['x-ic-faces', 'x-ic-warnings'].map((name) => answer.headers.get(name)),
        ['0', 'no_faces_found'],
      );
    });
  });

  it('is an AI request without boxes and an ordinary one with boxes, even an empty list', async () => {
    verifies('blur-faces.boxes', 'blur-faces.boxes.absent', 'blur-faces.boxes.empty', 'auth.scope.ai');
    await withService(async (service) => {
      answerWithCoveredAreas(service);
      const refused = await post(service, '');
      assert.deepEqual([refused.status, (await errorOf(refused)).code], [403, 'scope_required']);
      assert.equal(service.engine.calls.length, 0);
      for (const query of ['boxes=', 'boxes=1,2,3,4']) {
        const answer = await post(service, query);
        assert.deepEqual([answer.status, answer.headers.get('x-quota-meter')], [200, 'requests'], query);
      }
      const headers = await aiKey(service);
      assert.equal((await post(service, '', headers)).headers.get('x-quota-meter'), 'ai');
      const usage = (await (await service.call('/api/v1/usage', { headers })).json()) as {
        requests: { used: number };
        ai: { used: number };
      };
      assert.deepEqual([usage.requests.used, usage.ai.used], [2, 1]);
    });
  });

  it('passes every parameter to the engine, typed, with the defaults', async () => {
    await withService(async (service) => {
      answerWithCoveredAreas(service);
      await post(service, 'effect=pixelate&strength=80&boxes=1,2,3,4;-5,-6,70,80&format=webp&page=2');
      await post(service, '', await aiKey(service));
      const [given, plain] = service.engine.calls.map(({ input }) => input.params as unknown);
      assert.deepEqual(given, {
        effect: 'pixelate',
        strength: 80,
        boxes: '1,2,3,4;-5,-6,70,80',
        format: 'webp',
        page: 2,
      });
      assert.deepEqual(plain, { effect: 'blur', strength: 60, format: 'auto' });
    });
  });

  it('accepts the bounds of each parameter and rejects values beyond', async () => {
    verifies('blur-faces.effect.values', 'blur-faces.strength.bounds', 'blur-faces.boxes.form', 'blur-faces.format');
    await withService(async (service) => {
      answerWithCoveredAreas(service);
      const bounds: Record<string, [readonly string[], readonly string[]]> = {
        effect: [
          ['blur', 'pixelate'],
          ['Blur', 'black', ''],
        ],
        strength: [
          ['1', '100'],
          ['0', '101', '60.5', ''],
        ],
        format: [
          ['auto', 'jpeg', 'png', 'webp', 'avif', 'tiff'],
          ['gif', 'jpg', 'bmp', ''],
        ],
        boxes: [
          ['', '0,0,1,1', '-999999,-999999,999999,999999', boxes(200)],
          [
            boxes(201),
            '1,2,3',
            '1,2,0,4',
            '1,2,3,-4',
            '1,2,3,4;',
            ';',
            '1;2;3;4',
            '1.5,2,3,4',
            '1, 2,3,4',
            '1000000,0,1,1',
            'x',
          ],
        ],
      };
      for (const [name, [good, bad]] of Object.entries(bounds)) {
        const query = (value: string) => new URLSearchParams({ boxes: '1,1,2,2', [name]: value }).toString();
        for (const value of good) assert.equal((await post(service, query(value))).status, 200, `${name}=${value}`);
        for (const value of bad) {
          const answer = await post(service, query(value));
          const { code, param, message } = await errorOf(answer);
          assert.deepEqual([answer.status, code, param], [400, 'invalid_parameter', name], value);
          assert.match(message, /^Expected .+ for \w+ but received /);
        }
      }
      const many = await errorOf(await post(service, `boxes=${boxes(201)}`));
      assert.match(many.message, /at most 200 areas/);
    });
  });
});
