/**
 * Checks that a website belongs to the customer. Only then may robots.txt be ignored (docs/spec/shapes.md, section 17.5).
 */
import { Failure } from '../../base/failure.ts';
import type { Account } from '../../storage/records/accounts.ts';
import { decodeDocument } from '../../web-documents/charset.ts';
import { Markup } from '../../web-documents/markup.ts';
import { sitePart } from './domain.ts';
import type { SiteClient } from './fetch/site-client.ts';
import type { SiteServices } from './services.ts';
import type { SiteScanSettings } from './settings.ts';
import { createSingleClient } from './single-client.ts';

/** A file on the website with the account id on a line. */
const PROOF_PATH = '/.well-known/imagecrew-site.txt';
const PROOF_BYTES = 10_000;

/** The name of a meta tag in the head of the home page; its content is the account id. */
const PROOF_TAG = 'imagecrew-site-verification';
/** The meta tag is searched for in this many bytes, on the main thread. */
const HEAD_BYTES = 65_536;

/** Time limit for all requests together: a client is waiting. */
const PROOF_TIMEOUT_MS = 30_000;

/**
 * Checks settings that ignore robots.txt.
 * @param site an address on the website
 * @param signal aborts the check
 * @throws Failure 400 `url_not_allowed` when the website does not name the account; the abort reason of the signal
 */
export async function checkRobotsSetting(
  services: SiteServices,
  { id }: Account,
  { respect_robots }: Partial<SiteScanSettings>,
  { site, signal }: { site: string; signal: AbortSignal },
): Promise<void> {
  if (respect_robots !== false) return;
  if (await isOwner(services, id, { site, signal })) return;
  throw new Failure(
    'url_not_allowed',
    `Expected ${id} in a line of the file ${PROOF_PATH} or in the meta tag ${PROOF_TAG} of the home page for settings.respect_robots but received neither.`,
    { param: 'settings.respect_robots' },
  );
}

async function isOwner(
  services: SiteServices,
  id: string,
  { site, signal }: { site: string; signal: AbortSignal },
): Promise<boolean> {
  const client = createSingleClient(services);
  const timed = AbortSignal.any([signal, AbortSignal.timeout(PROOF_TIMEOUT_MS)]);
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

/**
 * Reads the beginning of a document of the website. Tries a second time when there is no response; returns an empty
 * text when that fails too.
 */
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
    // A document on another website proves nothing.
    const isItsOwn = status === 200 && sitePart(finalUrl) === sitePart(site);
    return isItsOwn ? decodeDocument(new Uint8Array(data), contentType, 'page') : '';
  } catch (error) {
    if (error instanceof Failure) return '';
    throw error;
  }
}

/** Elements of the head. Any other element begins the body, which may contain text written by visitors. */
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
    },
    false,
  );
  markup.read();
  return contents;
}
