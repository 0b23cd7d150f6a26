/**
 * Test helpers for the HTTP interface of website scans: keys with the scope `sites`, and scans whose rows the tests
 * insert. No runner works on the scans.
 */
import { issueKey } from '../../../server/account/keys.ts';
import type { ScanRecord } from '../../../server/sites/records/scan.ts';
import type { SiteScanChanges } from '../../../storage/ports/site-scans.ts';
import type { ScanStatus } from '../../../storage/records/site-scans.ts';
import { ScanFixture, type ScanRowsOptions } from '../../support/scan-rows.ts';
import { type TestOptions, type TestService, withService } from '../../support/service.ts';

export const SCANS = '/api/v1/sites/scans';

export interface JsonResponse<T = ScanRecord> {
  status: number;
  headers: Headers;
  body: T & { error: { code: string; param?: string; message: string } };
}

export interface ScanTestService {
  service: TestService;
  /** Keys of the two accounts with the scope `sites`. */
  keys: { free: string; pro: string };
  /** Sends a request, by default with the key of the pro account. */
  send<T = ScanRecord>(method: string, path: string, body?: unknown, key?: string): Promise<JsonResponse<T>>;
  /** Sends a request whose response is not JSON. */
  fetch(path: string, headers?: Record<string, string>, method?: string): Promise<Response>;
  create(body?: object, key?: string): Promise<JsonResponse>;
  /** Moves a scan to another status. */
  become(id: string, status: ScanStatus, changes?: SiteScanChanges): Promise<void>;
  /** Creates a scan in a project of the pro account. The test inserts its rows. */
  rows(options?: Omit<ScanRowsOptions, 'authorization'>): Promise<ScanFixture>;
}

export async function withDesk<T>(work: (desk: ScanTestService) => Promise<T>, options?: TestOptions): Promise<T> {
  return await withService(async (service) => {
    const { database } = service.services;
    const issue = async (owner: string) => {
      const { id: accountId } = (await database.accounts.findByName(owner))!;
      const none = { monthlyLimit: null, expiresAt: null };
      return (await issueKey(database.keys, { accountId, name: 'sites', mode: 'live', scopes: ['sites'], ...none }))
        .key;
    };
    const keys = { free: await issue('anna'), pro: await issue('ben') };
    const opened: ScanFixture[] = [];
    const desk: ScanTestService = {
      service,
      keys,
      send: async (method, path, body, key = keys.pro) => {
        const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
        const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
        const response = await service.call(path, { ...init, headers });
        return { status: response.status, headers: response.headers, body: (await response.json()) as never };
      },
      fetch: (path, headers = {}, method = 'GET') =>
        service.call(path, { method, headers: { authorization: `Bearer ${keys.pro}`, ...headers } }),
      create: (body = {}, key = keys.pro) => desk.send('POST', SCANS, { url: 'https://example.com', ...body }, key),
      become: async (id, status, changes = {}) => {
        const scan = (await database.siteScans.find(id))!;
        await database.siteScans.move(id, scan.status, status, changes);
      },
      rows: async (rowsOptions = {}) => {
        const rows = await ScanFixture.create(service.services, {
          ...rowsOptions,
          authorization: `Bearer ${keys.pro}`,
        });
        opened.push(rows);
        const { scan } = rows.context;
        const known = await database.siteScans.projectOf(scan.accountId, scan.domain);
        const project = known ?? {
          id: `proj_${scan.id.slice(5)}`,
          accountId: scan.accountId,
          domain: scan.domain,
          name: null,
          createdAt: scan.createdAt,
        };
        if (!known) await database.siteScans.insertProject(project);
        await database.siteScans.change(scan.id, { projectId: project.id });
        return rows;
      },
    };
    try {
      return await work(desk);
    } finally {
      for (const rows of opened) rows.close();
    }
  }, options);
}

/** Returns the status, the code and the parameter of a refusal. */
export function refusalOf({ status, body }: JsonResponse<unknown>): unknown[] {
  return [status, body.error?.code, body.error?.param];
}
