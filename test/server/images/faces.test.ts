/** POST /api/v1/faces over HTTP: responses, cost and errors. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type FaceDetectionResult, faceDetectionResult } from '../../../engine/operations/faces/record.ts';
import { modelMissing } from '../../../models/errors.ts';
import { issueKey } from '../../../server/account/keys.ts';
import { type TestService, withService } from '../../support/service.ts';
import { verifies } from '../../support/verifies.ts';

const PATH = '/api/v1/faces';
const BODY = 'any bytes';
const RECORD = {
  width: 1280,
  height: 853,
  faces: [
    { x: 412, y: 96, width: 180, height: 231, score: 0.93 },
    { x: 0, y: 4, width: 60, height: 80, score: 0.61 },
  ],
};

/** Makes the engine return a result with two faces. */
function answerWithTwoFaces({ engine }: TestService): void {
  engine.answers.faces = {
    record: RECORD,
    warnings: ['truncated_source'],
    phases: { decode: 1, process: 2, encode: 0 },
  };
}

/** Creates another key of the free account. */
async function keyWith(
  { services: { database } }: TestService,
  scopes: readonly 'ai'[],
  mode: 'live' | 'test' = 'live',
) {
  const account = await database.accounts.findByName('anna');
  const { key } = await issueKey(database.keys, {
    accountId: account!.id,
    name: 'faces',
    mode,
    scopes: [...scopes],
    monthlyLimit: null,
    expiresAt: null,
  });
  return { authorization: `Bearer ${key}` };
}

const post = ({ call }: TestService, headers: Record<string, string>, query = '') =>
  call(`${PATH}?${query}`, { method: 'POST', body: BODY, headers });
const errorOf = async (answer: Response) =>
  ((await answer.json()) as { error: { code: string; param?: string } }).error;

describe('POST /api/v1/faces', () => {
  it('returns the faces as JSON, for one AI request, and stores nothing', async () => {
    verifies('faces.endpoint', 'faces.size', 'faces.duration-ms', 'faces.nothing-stored', 'limits.credit.ai-only');
    await withService(async (service) => {
      answerWithTwoFaces(service);
      const headers = await keyWith(service, ['ai']);
      const answer = await post(service, headers, 'page=2&filename=a.tga');
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
      assert.equal(answer.headers.get('cache-control'), 'no-store');
      assert.equal(answer.headers.get('x-quota-meter'), 'ai');
      const { duration_ms: duration, ...record } = (await answer.json()) as FaceDetectionResult;
      assert.deepEqual(record, RECORD);
      assert.ok(Number.isInteger(duration), `${duration}`);
      assert.deepEqual(faceDetectionResult.parse({ ...record, duration_ms: duration }).faces, RECORD.faces);
      const [call] = service.engine.calls;
      assert.deepEqual([call?.name, call?.input.params], ['faces', { page: 2, filename: 'a.tga' }]);
      assert.equal(service.services.results.usedBytes, 0);
      const usage = (await (await service.call('/api/v1/usage', { headers })).json()) as {
        requests: { used: number };
        ai: { used: number };
      };
      assert.deepEqual([usage.requests.used, usage.ai.used], [0, 1]);
    });
  });

  it('needs a key with the scope ai', async () => {
    verifies('auth.scope.ai');
    await withService(async (service) => {
      answerWithTwoFaces(service);
      const answer = await post(service, await keyWith(service, []));
      assert.deepEqual([answer.status, (await errorOf(answer)).code], [403, 'scope_required']);
      assert.equal(service.engine.calls.length, 0);
    });
  });

  it('accepts no parameters but page and filename', async () => {
    await withService(async (service) => {
      const headers = await keyWith(service, ['ai']);
      for (const query of ['output=json', 'boxes=', 'page=0', 'strength=5']) {
        const answer = await post(service, headers, query);
        const { code, param } = await errorOf(answer);
        assert.deepEqual([answer.status, code, param], [400, 'invalid_parameter', query.split('=')[0]]);
      }
    });
  });

  it('costs nothing if the model is missing, and says when to try again', async () => {
    await withService(async (service) => {
      service.engine.behave = async () => {
        throw modelMissing('faces');
      };
      const headers = await keyWith(service, ['ai']);
      const answer = await post(service, headers);
      assert.deepEqual([answer.status, (await errorOf(answer)).code], [503, 'model_unavailable']);
      assert.ok(Number(answer.headers.get('retry-after')) > 0);
      const usage = (await (await service.call('/api/v1/usage', { headers })).json()) as { ai: { used: number } };
      assert.equal(usage.ai.used, 0);
    });
  });
});
