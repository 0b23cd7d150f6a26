/** The HTTP side of website scans, with a key that may scan, and scans filled by hand. Nothing works on them. */
import { issueKey } from '../../../server/account/keys.ts';
import type { ScanRecord } from '../../../server/sites/records/scan.ts';
import type { SiteScanChanges } from '../../../storage/repositories/site-scans.ts';
import type { ScanStatus } from '../../../storage/schema.ts';
import { ScanRows, type ScanRowsOptions } from '../../support/scan-rows.ts';
import { type TestOptions, type TestService, withService } from '../../support/service.ts';

export const SCANS = '/api/v1/sites/scans';

export interface Answer<T = ScanRecord> {
  status: number;
  headers: Headers;
  body: T & { error: { code: string; param?: string; message: string } };
}

export interface Desk {
  service: TestService;
  /** Keys with the scope `sites`, of the two accounts. */
  keys: { free: string; pro: string };
  /** Sends a request with the key of the pro account or another one. */
  send<T = ScanRecord>(method: string, path: string, body?: unknown, key?: string): Promise<Answer<T>>;
  /** The same, for what is no JSON. */
  fetch(path: string, headers?: Record<string, string>, method?: string): Promise<Response>;
  create(body?: object, key?: string): Promise<Answer>;
  /** Makes a scan what it would have become. */
  become(id: string, status: ScanStatus, changes?: SiteScanChanges): Promise<void>;
  /** A scan of a project of the pro account, to be filled by hand. */
  rows(options?: Omit<ScanRowsOptions, 'authorization'>): Promise<ScanRows>;
}

export async function withDesk<T>(work: (desk: Desk) => Promise<T>, options?: TestOptions): Promise<T> {
  return await withService(async (service) => {
    const { database } = service.services;
    const issue = async (owner: string) => {
      const { id: accountId } = (await database.accounts.findByName(owner))!;
      const none = { monthlyLimit: null, expiresAt: null };
      return (await issueKey(database.keys, { accountId, name: 'sites', mode: 'live', scopes: ['sites'], ...none }))
        .key;
    };
    const keys = { free: await issue('anna'), pro: await issue('ben') };
    const opened: ScanRows[] = [];
    const desk: Desk = {
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
        const rows = await ScanRows.create(service.services, { ...rowsOptions, authorization: `Bearer ${keys.pro}` });
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

/** Status, code and parameter of a refusal. */
export function refusalOf({ status, body }: Answer<unknown>): unknown[] {
  return [status, body.error?.code, body.error?.param];
}
