/** Creates and changes keys over HTTP with a limited key. */
import { issueKey, type Scope } from '../../../server/account/keys.ts';
import { withService } from '../../support/service.ts';

export interface IssuedKey {
  id: string;
  key: string;
  scopes: string[];
  monthly_limit: number | null;
  expires_at: string | null;
}

export interface KeyClient {
  /** Id of the limited key. */
  own: string;
  /** Id of another key of the account, with a limit of 5. */
  other: string;
  /** @param key default: the limited key */
  make(body: object, key?: string): Promise<IssuedKey>;
  /** Returns the code and the parameter of the error; undefined without an error. */
  codeOf(method: string, id: string, body: object): Promise<[string, string | undefined] | undefined>;
  /** Compresses an image and returns the status. */
  compress(key: string): Promise<number>;
}

export async function withKeys(
  limits: { scopes: Scope[]; monthlyLimit: number; expiresAt?: string },
  work: (desk: KeyClient) => Promise<void>,
): Promise<void> {
  await withService(async ({ call, services }) => {
    const account = (await services.database.accounts.findByName('anna'))!;
    const options = { accountId: account.id, name: 'limited', mode: 'live' as const, expiresAt: null, ...limits };
    const limited = await issueKey(services.database.keys, options);
    const other = await issueKey(services.database.keys, { ...options, scopes: [], monthlyLimit: 5, expiresAt: null });
    const send = (method: string, id: string, body: object, key = limited.key) =>
      call(`/api/v1/keys${id === '' ? '' : `/${id}`}`, {
        method,
        body: JSON.stringify(body),
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      });
    await work({
      own: limited.record.id,
      other: other.record.id,
      make: async (body, key) => (await (await send('POST', '', body, key)).json()) as IssuedKey,
      codeOf: async (method, id, body) => {
        const { error } = (await (await send(method, id, body)).json()) as { error?: { code: string; param?: string } };
        return error && [error.code, error.param];
      },
      compress: async (key) => {
        const headers = { authorization: `Bearer ${key}` };
        const response = await call('/api/v1/compress', { method: 'POST', body: 'abc', headers });
        await response.arrayBuffer();
        return response.status;
      },
    });
  });
}
