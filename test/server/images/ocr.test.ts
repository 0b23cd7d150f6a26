/** POST /api/v1/ocr over HTTP: with a fake engine that returns a record of the real one. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { z } from 'zod';
import { recognition } from '../../../engine/operations/ocr/record.ts';
import { issueKey } from '../../../server/account/keys.ts';
import type { Key } from '../../../storage/records/keys.ts';
import { drawPage, SAMPLES } from '../../engine/ocr/pages.ts';
import { ocr } from '../../engine/ocr/support.ts';
import { type TestService, withService } from '../../support/service.ts';
import { sharpOf } from '../../support/test-images.ts';
import { verifies } from '../../support/verifies.ts';

const PATH = '/api/v1/ocr';

interface OcrService extends TestService {
  /** Posts the page with a key that has the scope `ai`. */
  post(query?: string, body?: BodyInit, mode?: Key['mode']): Promise<Response>;
}

let recognized: ReturnType<typeof recognizePage> | undefined;

async function recognizePage() {
  const page = await sharpOf(await drawPage(SAMPLES.slv))
    .png()
    .toBuffer();
  return { page, record: await ocr(page, { lang: 'slv', words: true }) };
}

/** Runs `work` with a service whose engine returns the real OCR record of a page. */
async function withOcr(work: (service: OcrService) => Promise<void>) {
  recognized ??= recognizePage();
  const { page, record } = await recognized;
  await withService(async (service) => {
    const { accounts, keys } = service.services.database;
    const account = await accounts.findByName('anna');
    const post = async (query = '', body: BodyInit = page as BodyInit, mode: Key['mode'] = 'live') => {
      const options = { accountId: account!.id, name: 'models', mode, monthlyLimit: null, expiresAt: null };
      const { key } = await issueKey(keys, { ...options, scopes: ['ai'] });
      return service.call(`${PATH}?${query}`, { method: 'POST', body, headers: { authorization: `Bearer ${key}` } });
    };
    service.engine.answers = { ocr: { record, phases: { decode: 1, process: 2, encode: 0 } } };
    await work({ ...service, post });
  });
}

/** Creates a form with an image part, whose bytes do not matter, and text parts. */
function formOf(texts: Record<string, string>): FormData {
  const form = new FormData();
  form.set('image', new Blob(['any bytes']), 'page.png');
  for (const [name, text] of Object.entries(texts)) form.set(name, text);
  return form;
}

describe('POST /api/v1/ocr', () => {
  it('returns the text as JSON, counted only against the AI allowance', async () => {
    verifies(
      'ocr.endpoint',
      'ocr.size',
      'ocr.confidence',
      'ocr.languages',
      'limits.credit.ai-only',
      'header.x-quota-meter',
    );
    await withOcr(async ({ call, post, engine, logged }) => {
      const answer = await post('lang=slv&words=true');
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
      assert.equal(answer.headers.get('cache-control'), 'no-store');
      assert.equal(answer.headers.get('x-quota-meter'), 'ai');
      const record = (await answer.json()) as z.output<typeof recognition>;
      assert.deepEqual(recognition.strict().parse(record), record);
      assert.equal(record.text, SAMPLES.slv.join('\n'));
      assert.ok(Number.isInteger(record.duration_ms) && Number.isInteger(record.confidence));
      const [{ name, input }] = engine.calls as [(typeof engine.calls)[0]];
      assert.equal(name, 'ocr');
      assert.deepEqual(input.params, { lang: 'slv', words: true });
      const usage = (await (await call('/api/v1/usage')).json()) as Record<'requests' | 'ai', { used: number }>;
      assert.deepEqual([usage.requests.used, usage.ai.used], [0, 1]);
      // The recognized text is private to the sender, so it must not be logged.
      assert.doesNotMatch(JSON.stringify(logged()), /šparglji/);
    });
  });

  it('reads English without word boxes by default', async () => {
    verifies('ocr.lang');
    await withOcr(async ({ post, engine }) => {
      assert.equal((await post('', formOf({}))).status, 200);
      assert.equal((await post('', formOf({ lang: 'slv,eng', words: '1' }))).status, 200);
      assert.deepEqual(
        engine.calls.map(({ input }) => input.params as object),
        [
          { lang: 'eng', words: false },
          { lang: 'slv,eng', words: true },
        ],
      );
    });
  });

  it('rejects unsupported languages and invalid lists', async () => {
    verifies('ocr.lang');
    await withOcr(async ({ post, engine }) => {
      const refused = ['lang=', 'lang=deu', 'lang=ENG', 'lang=eng,', 'lang=,eng', 'lang=eng,,slv', 'lang=eng,%20slv'];
      refused.push('lang=eng%2Bslv', 'lang=eng,eng', 'lang=eng,slv,eng', 'words=yes', 'output=json', 'page=0');
      for (const query of refused) {
        const answer = await post(query);
        assert.equal(answer.status, 400, query);
        const { error } = (await answer.json()) as { error: { code: string; param: string; message: string } };
        assert.deepEqual([error.code, error.param], ['invalid_parameter', query.split('=')[0]], query);
        assert.match(error.message, /^Expected .+ but received .+\.$/);
      }
      assert.equal(engine.calls.length, 0);
    });
  });

  it('needs the scope ai, and an image', async () => {
    verifies('auth.scope.ai');
    await withOcr(async ({ call, post, origin }) => {
      const answer = await call(PATH, { method: 'POST', body: 'any bytes' });
      assert.equal(answer.status, 403);
      assert.equal(((await answer.json()) as { error: { code: string } }).error.code, 'scope_required');
      assert.equal((await post('', '')).status, 400);
      assert.equal((await fetch(origin + PATH, { method: 'POST', body: 'x' })).status, 401);
    });
  });

  it('uses no quota with a test key', async () => {
    await withOcr(async ({ post }) => {
      const answer = await post('', 'any bytes', 'test');
      assert.deepEqual([answer.status, answer.headers.get('x-quota-meter')], [200, 'none']);
    });
  });
});

describe('GET /api/v1/formats', () => {
  it('lists the languages that ocr reads, and each of them is accepted', async () => {
    await withOcr(async ({ call, post }) => {
      const { ocr_languages: languages } = (await (await call('/api/v1/formats')).json()) as {
        ocr_languages: { code: string; name: string }[];
      };
      assert.deepEqual(languages, [
        { code: 'eng', name: 'English' },
        { code: 'slv', name: 'Slovenian' },
      ]);
      for (const { code } of languages) assert.equal((await post(`lang=${code}`)).status, 200);
    });
  });
});
