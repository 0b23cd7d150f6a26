import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pageOf } from '../../../../console/pages/jobs/list.ts';
import { buildRequest, newIdempotencyKey, parseAddresses } from '../../../../console/pages/jobs/new-job.ts';

const NONE = { chosen: { kind: 'none' }, webhookUrl: '', logo: undefined } as const;

describe('the request for a new job', () => {
  it('splits addresses at lines, spaces and commas', () => {
    const text = ' https://a.example/1.jpg \n\nhttps://a.example/2.jpg, https://a.example/3,4.jpg\tnonsense\n';
    assert.deepEqual(parseAddresses(text), [
      'https://a.example/1.jpg',
      'https://a.example/2.jpg',
      'https://a.example/3,4.jpg\tnonsense',
    ]);
    assert.deepEqual(parseAddresses('\n \n'), []);
  });

  it('sends addresses as JSON', () => {
    const source = { kind: 'addresses', text: 'https://a.example/1.jpg' } as const;
    const chosen = { kind: 'preset', name: 'shop', version: '3' } as const;
    const { headers, body } = buildRequest({ ...NONE, source, chosen, webhookUrl: 'https://b.example/' }, 'key');
    assert.deepEqual(headers, { 'Idempotency-Key': 'key', 'Content-Type': 'application/json' });
    const inputs = [{ url: 'https://a.example/1.jpg' }];
    assert.deepEqual(JSON.parse(String(body)), {
      inputs,
      preset: 'shop',
      version: 3,
      webhook_url: 'https://b.example/',
    });
  });

  it('sends files as parts, with the pipeline as text and its logo', () => {
    const files = ['one', 'two', 'three'].map((name) => new File([name], `${name}.jpg`));
    const pipeline = { steps: [{ op: 'flip' }] };
    const logo = new File(['logo'], 'logo.png');
    const { body } = buildRequest(
      { ...NONE, source: { kind: 'files', files }, chosen: { kind: 'steps', pipeline }, logo },
      'key',
    );
    assert.ok(body instanceof FormData);
    assert.deepEqual([...body.keys()], ['pipeline', 'image', 'image_1', 'image_2', 'watermark_image']);
    assert.equal(body.get('pipeline'), JSON.stringify(pipeline));
    assert.equal((body.get('image_2') as File).name, 'three.jpg');
  });

  it('has an idempotency key of its own', () => {
    assert.match(newIdempotencyKey(), /^[0-9a-f]{32}$/);
    assert.notEqual(newIdempotencyKey(), newIdempotencyKey());
  });
});

describe('the list of jobs', () => {
  const jobs = Array.from({ length: 25 }, (_, n) => ({
    id: `${n}`,
    status: n % 5 === 0 ? 'failed' : 'done',
  })) as never[];
  const ids = (page: ReturnType<typeof pageOf>) => page.jobs.map(({ id }) => id);

  it('is split into pages', () => {
    assert.equal(pageOf(jobs, null, 1).pages, 3);
    assert.deepEqual(ids(pageOf(jobs, null, 3)), ['20', '21', '22', '23', '24']);
  });

  it('shows the nearest page if the number does not exist', () => {
    for (const page of [0, -1, Number.NaN]) assert.equal(pageOf(jobs, null, page).page, 1);
    assert.equal(pageOf(jobs, null, 99).page, 3);
    assert.deepEqual(pageOf([], null, 2), { jobs: [], page: 1, pages: 1, total: 0 });
  });

  it('is filtered before it is split into pages', () => {
    assert.deepEqual(ids(pageOf(jobs, 'failed', 1)), ['0', '5', '10', '15', '20']);
  });
});
