/** The request body that creates a scan (docs/spec/interface.md, "Website scan create body"). */
import { z } from 'zod';
import { described } from '../../base/described.ts';
import { EventLoopShare } from '../../base/event-loop-share.ts';
import { invalidParameter } from '../../base/failure.ts';
import { createDecoder } from '../../base/parameter-decoder.ts';
import type { Owner } from '../../engine/ticket.ts';
import { SCAN_SOURCES } from '../../storage/records/site-scans.ts';
import { PACKAGE_NAMES } from '../account/packages.ts';
import type { JsonLimits } from '../http/json-reader.ts';
import { MAX_URL_LENGTH } from '../http/web-address.ts';
import { checkSettings, completeSettings, type SentSettings, withSettings } from './body.ts';
import { sitePart } from './domain.ts';
import { conflicting, invalidLine, listTooLarge, tooManyAddresses } from './errors.ts';
import { checkSiteAddress } from './fetch/site-policy.ts';
import { matchForRequest } from './patterns.ts';
import type { ScanRequest } from './scan-request.ts';
import type { SiteServices } from './services.ts';

/** Maximum size of a list of addresses, in bytes (docs/spec/interface.md, "Limits"). */
export const MAX_LIST_BYTES = 5_000_000;
/** Far more addresses than a scan can have pages. Reading more would only take time and memory. */
export const MAX_ADDRESSES = 500_000;

/** JSON writes a line end or a quotation mark with two characters, hence twice the limit. */
export const CREATION_LIMITS: JsonLimits = {
  longText: { field: 'urls', maxBytes: 2 * MAX_LIST_BYTES },
  tooLarge: () => listTooLarge(MAX_LIST_BYTES),
};

/** Size of one chunk of the list. Writing a chunk takes a few milliseconds. */
const MAX_PART_LINES = 500;
const MAX_PART_CHARACTERS = 32 * 1024;

const scanName = described(z.string().min(1).max(100), 'For people.', 'Before the relaunch');
export const mostPages = described(z.int().min(1), 'Most pages that are scanned.', 50);

export const creation = z.strictObject({
  source: z.enum(SCAN_SOURCES).default('url').meta({ description: 'Where the list of pages comes from.' }),
  url: described(
    z.string().min(1).max(MAX_URL_LENGTH).optional(),
    'Of source url the address of the site, of source sitemap that of the sitemap; https where it has no scheme.',
    'https://example.com',
  ),
  urls: described(
    z.string().optional(),
    'Of source list: one address per line, 5 MB at most.',
    'https://example.com/\nhttps://example.com/about',
  ),
  project_id: described(
    z.string().optional(),
    'Project whose website is scanned again. Without it the scan joins the project of the same domain, or makes it.',
    'proj_01JD3Z8Q4W0V6S8H2N5B7C9E1F',
  ),
  name: scanName.optional(),
  package: described(
    z.enum(PACKAGE_NAMES).optional(),
    'Draws on a bought package: the scan may take the pages that it has left, and is charged those that it analyses.',
  ),
  max_pages: mostPages.optional(),
  review: described(
    z.boolean().default(false),
    'Stop after discovery, so that the list of pages can be looked at first.',
  ),
  optimize: described(z.enum(['auto', 'manual']).default('auto'), 'manual: convert nothing before it is asked for.'),
});

export const creationDecoder = withSettings(createDecoder(creation));
type Creation = z.output<typeof creation> & { settings?: SentSettings };

type AddressServices = Pick<SiteServices, 'baseUrl' | 'config'>;

/** Checks a request for a new scan. @throws Failure that names what is wrong */
export async function checkCreation(
  services: AddressServices & Pick<SiteServices, 'engine'>,
  asked: Creation,
  signal: AbortSignal,
  owner?: Owner,
): Promise<ScanRequest> {
  const { source, project_id, name, max_pages, review, optimize, settings = {} } = asked;
  const addresses = await addressesOf(services, asked, signal);
  await checkSettings(settings, matchForRequest(services, signal, owner));
  return {
    source,
    ...addresses,
    projectId: project_id,
    name: name ?? null,
    package: asked.package,
    maxPages: max_pages ?? null,
    review,
    optimize,
    settings: completeSettings(settings),
  };
}

type Addresses = Pick<ScanRequest, 'url' | 'list' | 'site' | 'domain'>;

async function addressesOf(
  services: AddressServices,
  { source, url, urls }: Creation,
  signal: AbortSignal,
): Promise<Addresses> {
  if (source === 'list') {
    if (url !== undefined) throw conflicting('url', 'with source list');
    if (urls === undefined) throw invalidParameter('one address per line', 'urls', undefined);
    return { url: null, ...(await checkList(services, urls, signal)) };
  }
  if (urls !== undefined) throw conflicting('urls', `with source ${source}`);
  if (url === undefined) throw invalidParameter('an http or https address', 'url', undefined);
  return { ...checkStart(services, url), list: null };
}

/** Checks the address that a scan starts with, and derives the website from it. */
export function checkStart(
  services: AddressServices,
  sent: string,
): Pick<ScanRequest, 'site' | 'domain'> & { url: string } {
  const text = sent.trim();
  const { href } = checkSiteAddress(withScheme(text), services);
  // Without a scheme the text is kept as sent: the scan tries which scheme works.
  return { url: hasScheme(text) ? href : text, site: href, domain: sitePart(href) };
}

async function checkList(
  services: AddressServices,
  text: string,
  signal: AbortSignal,
): Promise<Pick<ScanRequest, 'list' | 'site' | 'domain'>> {
  if (Buffer.byteLength(text) > MAX_LIST_BYTES) throw listTooLarge(MAX_LIST_BYTES);
  const share = new EventLoopShare();
  let first: string | undefined;
  const parts: string[] = [];
  let count = 0;
  for (const { addresses, firstLine } of addressLines(text)) {
    for (const [index, address] of addresses.entries()) {
      if (share.isUsedUp) {
        await share.next();
        signal.throwIfAborted();
      }
      if (address !== '' && !isWebAddress(address)) throw invalidLine(firstLine + index);
    }
    const sent = addresses.filter((address) => address !== '');
    first ??= sent[0];
    count += sent.length;
    if (count > MAX_ADDRESSES) throw tooManyAddresses(MAX_ADDRESSES);
    if (sent.length > 0) parts.push(sent.join('\n'));
  }
  if (first === undefined) throw invalidParameter('one address per line', 'urls', text);
  const { href } = checkSiteAddress(first, services);
  return { list: parts, site: href, domain: sitePart(href) };
}

/** Splits a list into chunks of addresses that are written at once. An empty line gives an empty address. */
function* addressLines(text: string): Generator<{ addresses: string[]; firstLine: number }> {
  let firstLine = 1;
  for (let start = 0; start < text.length; ) {
    const addresses: string[] = [];
    const end = start + MAX_PART_CHARACTERS;
    while (addresses.length < MAX_PART_LINES && start < Math.min(end, text.length)) {
      const found = text.indexOf('\n', start);
      const lineEnd = found === -1 ? text.length : found;
      const line = text.slice(start, lineEnd).trim();
      addresses.push(line === '' ? '' : withScheme(line));
      start = lineEnd + 1;
    }
    yield { addresses, firstLine };
    firstLine += addresses.length;
  }
}

const isWebAddress = (text: string): boolean =>
  text.length <= MAX_URL_LENGTH && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

const SCHEME = /^[a-z][a-z0-9+.-]*:[/][/]/i;

const hasScheme = (text: string): boolean => SCHEME.test(text);

const withScheme = (text: string): string => (hasScheme(text) ? text : `https://${text}`);
