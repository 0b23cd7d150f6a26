/** Whether a website is its customer's own: only then may robots.txt be left aside (spec/shapes.md, section 17.5). */
import { Failure } from '../../base/failure.ts';
import { decodeDocument } from '../../engine/documents/charset.ts';
import { Markup } from '../../engine/documents/markup.ts';
import type { Account } from '../../storage/repositories/accounts.ts';
import type { Services } from '../http/endpoint.ts';
import { sitePart } from './domain.ts';
import type { SiteClient } from './fetch/site-client.ts';
import type { SiteScanSettings } from './settings.ts';
import { createSingleClient } from './single-client.ts';

/** A file of the website with the id of the account in a line. */
const PROOF_PATH = '/.well-known/imagecrew-site.txt';
const PROOF_BYTES = 10_000;

/** The name of a meta tag in the head of its home page with the id of the account as its content. */
const PROOF_TAG = 'imagecrew-site-verification';
/** The tag is looked for there, on the main thread. */
const HEAD_BYTES = 65_536;

/** For all requests together: somebody waits. */
const PROOF_MS = 30_000;

/**
 * Checks settings that leave robots.txt aside.
 * @param site an address of the website
 * @param signal ends it
 * @throws Failure 400 `url_not_allowed` where the website does not say that it is the account's; the reason of the signal
 */
export async function checkRobotsSetting(
  services: Services,
  { id }: Account,
  { respect_robots }: Partial<SiteScanSettings>,
  { site, signal }: { site: string; signal: AbortSignal },
): Promise<void> {
  if (respect_robots !== false) return;
  if (await isProved(services, id, { site, signal })) return;
  throw new Failure(
    'url_not_allowed',
    `Expected ${id} in a line of the file ${PROOF_PATH} or in the meta tag ${PROOF_TAG} of the home page for settings.respect_robots but received neither.`,
    { param: 'settings.respect_robots' },
  );
}

async function isProved(
  services: Services,
  id: string,
  { site, signal }: { site: string; signal: AbortSignal },
): Promise<boolean> {
  const client = createSingleClient(services);
  const timed = AbortSignal.any([signal, AbortSignal.timeout(PROOF_MS)]);
  try {
    const lines = (await read(client, site, { path: PROOF_PATH, maxBytes: PROOF_BYTES, signal: timed })).split('\n');
    if (lines.some((line) => line.trim() === id)) return true;
    const page = await read(client, site, { path: '/', maxBytes: HEAD_BYTES, signal: timed });
    return contentsOfTag(page).includes(id);
  } catch (error) {
    signal.throwIfAborted();
    if (timed.aborted) return false;
    throw error;
  } finally {
    client.close();
  }
}

/** The beginning of a document of the website, asked for a second time where there is no answer; empty without one. */
async function read(
  client: SiteClient,
  site: string,
  { path, maxBytes, signal }: { path: string; maxBytes: number; signal: AbortSignal },
): Promise<string> {
  const url = new URL(path, site).href;
  const accept = 'text/plain,text/html';
  const ask = () => client.fetch({ url, accept, maxBytes, truncates: true, optional: true, signal });
  try {
    const { status, finalUrl, data, contentType } = await ask().catch((error: unknown) => {
      if (error instanceof Failure && error.code === 'url_fetch_failed') return ask();
      throw error;
    });
    // What another website says of it is no proof.
    const isItsOwn = status === 200 && sitePart(finalUrl) === sitePart(site);
    return isItsOwn ? decodeDocument(new Uint8Array(data), contentType, 'page') : '';
  } catch (error) {
    if (error instanceof Failure) return '';
    throw error;
  }
}

/** Every other element begins the body, where visitors may have written something. */
const HEAD_ELEMENTS: ReadonlySet<string> = new Set([
  ...['html', 'head', 'title', 'base', 'link', 'meta', 'style', 'script', 'noscript'],
]);

function contentsOfTag(html: string): string[] {
  const contents: string[] = [];
  let isSkipped = false;
  const markup = new Markup(
    html,
    {
      wants: (attribute) => attribute === 'name' || attribute === 'content',
      foreign: () => false,
      open(name, attributes) {
        if (isSkipped) return;
        isSkipped = name === 'noscript';
        if (!HEAD_ELEMENTS.has(name)) markup.stop();
        else if (name === 'meta' && attributes.get('name')?.text === PROOF_TAG)
          contents.push(attributes.get('content')?.text.trim() ?? '');
      },
      close(name) {
        if (name === 'noscript') isSkipped = false;
        if (name === 'head') markup.stop();
      },
      text() {},
      textReference() {},
      instruction() {},
    },
    false,
  );
  markup.read();
  return contents;
}
