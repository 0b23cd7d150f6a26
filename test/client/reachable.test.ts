import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { Imagecrew } from '../../client/index.ts';
import { isOmitted } from '../../scripts/client-types.ts';
import { repositoryFile } from '../support/repository.ts';

type Operation = { operationId: string };

const IMAGE = new Uint8Array(8);

/** Calls every method of the client and of its parts, and collects the requests: method and path. */
async function requestsOfAllMethods(): Promise<Set<string>> {
  const asked = new Set<string>();
  const client = new Imagecrew({
    baseUrl: 'https://images.example.com',
    fetch: async (input, init) => {
      asked.add(`${init?.method} ${new URL(String(input)).pathname}`);
      const headers = { 'Content-Type': String(input).endsWith('/events') ? 'text/event-stream' : 'application/json' };
      const text = String(input).endsWith('/events') ? 'event: end\ndata: {}\n\n' : JSON.stringify(ANY_RESPONSE);
      return new Response(text, { headers });
    },
  });
  const parts = [client, client.pipelines, client.jobs, client.sites, client.sites.optimize, client.sites.scans];
  for (const part of [...parts, client.files, client.deliveredImages, client.keys, client.webhooks])
    await callAll(part);
  return asked;
}

/** A response with every field that a method of the client reads. */
const ANY_RESPONSE = {
  ...{ jobs: [], keys: [], presets: [], deliveries: [], projects: [], pages: [], assets: [] },
  ...{ total: 0, status: 'done' },
};

async function callAll(part: object): Promise<void> {
  const methods = [
    ...Object.entries(part),
    ...Object.entries(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(part))),
  ]
    .map(([name, value]) => [name, typeof value === 'function' ? value : value?.value] as const)
    .filter(([name, method]) => typeof method === 'function' && name !== 'constructor');
  for (const [name, method] of methods) {
    // The first argument is an image, a list of images or an id; the second is the number of a page or asset.
    const first = part instanceof Imagecrew ? IMAGE : name === 'create' ? [] : 'one';
    const answer = method.call(
      part,
      ...(/^(?:formats|usage|count|health|readiness|idPhotoPresets)$/.test(name) ? [] : [first, '1']),
    );
    if (Symbol.asyncIterator in answer) for await (const _ of answer);
    else await answer;
  }
}

describe('the client', () => {
  it('has a method for every operation of the API except the operator’s', async () => {
    const document = JSON.parse(await readFile(repositoryFile('openapi.json'), 'utf8'));
    const paths = Object.entries<Record<string, Operation>>(document.paths);
    const asked = [...(await requestsOfAllMethods())];
    const missing = paths.flatMap(([path, operations]) => {
      const pattern = path.replaceAll(/\{\w+\}/g, '[^/]+');
      return Object.entries(operations)
        .filter(([method]) => !asked.some((line) => new RegExp(`^${method} ${pattern}$`, 'i').test(line)))
        .map(([, { operationId }]) => operationId);
    });
    assert.deepEqual(
      missing.filter((id) => !isOmitted(id)),
      [],
    );
    assert.deepEqual(
      missing.filter((id) => !id.startsWith('admin_')),
      ['create_batch', 'deliver_image', 'metrics', 'download_local_server'],
    );
  });
});
