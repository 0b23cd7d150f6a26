/** Compiler errors for callers: `npm run check:types` fails if an expected error is missing or another one appears. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type {
  CompressParams,
  DeliveredResult,
  FileAnswer,
  ImageAnswer,
  Imagecrew,
  ImagecrewError,
  Job,
  JobEvent,
  PipelinePlan,
  SitePage,
  StoredFaviconPack,
  StoredResult,
  WebhookEvent,
} from '../../client/index.ts';

type Is<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(is: Is<A, B>): void => assert.equal(is, true);

/** Only compiled, never called. */
export async function calls(client: Imagecrew, image: Blob): Promise<void> {
  same<Awaited<ReturnType<typeof image.arrayBuffer>>, ArrayBuffer>(true);
  const answer = await client.compress(image, { format: 'webp', quality: 80 });
  same<typeof answer, ImageAnswer>(true);
  const stored = await client.compress(image, { output: 'json' });
  same<typeof stored, StoredResult>(true);
  const delivered = await client.compress(image, { deliver_to: 'https://example.com/x' });
  same<typeof delivered, DeliveredResult>(true);
  const pack = await client.favicon(image);
  same<typeof pack, FileAnswer>(true);
  const storedPack = await client.favicon(image, { output: 'json' });
  same<typeof storedPack, StoredFaviconPack>(true);
  const plan = await client.pipeline(image, { preset: 'web', dry_run: true });
  same<typeof plan, PipelinePlan>(true);
  for await (const page of client.sites.scans.pages('scan_1', { status: 'done' })) same<typeof page, SitePage>(true);
  for await (const event of client.jobs.events('job_1')) {
    same<typeof event, JobEvent>(true);
    if (event.type === 'end') same<typeof event.data, Job>(true);
  }

  // @ts-expect-error: no such format
  await client.compress(image, { format: 'webm' });
  // @ts-expect-error: no such parameter
  await client.compress(image, { qualty: 80 });
  // @ts-expect-error: a number
  await client.compress(image, { quality: '80' });
  // @ts-expect-error: no image
  await client.compress('photo.jpg');
  // @ts-expect-error: only remove-background takes one
  await client.compress(image, {}, { mask: image });
  // @ts-expect-error: what is kept as a link has no bytes
  await stored.arrayBuffer();
  // @ts-expect-error: no operation of a step
  await client.pipeline(image, { pipeline: { steps: [{ op: 'shrink' }] } });
  // @ts-expect-error: a parameter of another step
  await client.pipeline(image, { pipeline: { steps: [{ op: 'flip', params: { width: 10 } }] } });
  // @ts-expect-error: images come first
  await client.jobs.create({ preset: 'web' });
  // @ts-expect-error: no such action
  await client.sites.scans.update('scan_1', { action: 'begin' });
  // @ts-expect-error: no such scope
  await client.keys.create({ scopes: ['root'] });
  // @ts-expect-error: the address is needed
  await client.sites.optimize.start({});
}

/** Only compiled, never called. */
export function reads(error: ImagecrewError, event: WebhookEvent, params: CompressParams): void {
  if (error.code === 'quota_exceeded' || error.code === 'a_new_one') return;
  // @ts-expect-error: a test has no results
  if (event.type === 'webhook.test') event.data.results.length;
  else event.data.results.map(({ url }) => url);
  // @ts-expect-error: a job as webhooks have it, without the steps
  if (event.type === 'job.finished') event.data.results[0]?.steps;
  params.width = undefined;
  // @ts-expect-error: no null
  params.width = null;
}

describe('the types of the client', () => {
  it('pass the compiler', () => {
    assert.equal(typeof calls, 'function');
  });
});
