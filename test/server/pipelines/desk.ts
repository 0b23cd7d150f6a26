/** A service with the engine of the product, a Pro account and pipelines to send to it. */
import { after, before } from 'node:test';
import type { Engine } from '../../../engine/engine.ts';
import { createEngine } from '../../../engine/pools.ts';
import { issueKey, type Scope } from '../../../server/account/keys.ts';
import { MODELS_FOLDER } from '../../support/models.ts';
import { type TestOptions, type TestService, withService } from '../../support/service.ts';

export const PATH = '/api/v1/pipeline';

export interface Desk extends TestService {
  /** Sends with the live key of the Pro account, unless another is in `headers`. */
  send(path: string, init?: RequestInit): Promise<Response>;
  /** A key of an account, as a header. */
  keyOf(account: 'anna' | 'ben', scopes: Scope[], mode?: 'live' | 'test'): Promise<{ authorization: string }>;
  /** Credits of the Pro account this month. */
  used(): Promise<{ requests: number; ai: number }>;
  /** Names of the tasks that the engine was given so far. */
  tasks: string[];
}

/**
 * Starts one engine for the tests of a suite.
 * @returns runs `work` with a service on it
 */
export function useDesk(): (work: (desk: Desk) => Promise<void>, options?: TestOptions) => Promise<void> {
  let engine: Engine;
  before(async () => {
    // Of the models only our own is there, which upscales.
    engine = await createEngine({ workers: 1, modelsFolder: `${MODELS_FOLDER}/none` });
  });
  after(() => engine.close());

  return (work, options) =>
    withService(async (service) => {
      const tasks: string[] = [];
      const { database, ledger } = service.services;
      service.services.engine = {
        run: (name, input, given) => {
          tasks.push(name);
          return engine.run(name, input, given);
        },
        stats: () => engine.stats(),
        ready: () => engine.ready(),
        close: async () => {},
      };
      const pro = { authorization: `Bearer ${service.keys.pro}` };
      await work({
        ...service,
        tasks,
        send: (path, { headers, ...init } = {}) =>
          service.call(path, { ...init, headers: { ...pro, ...(headers as object) } }),
        keyOf: async (name, scopes, mode = 'live') => {
          const { id: accountId } = (await database.accounts.findByName(name))!;
          const options = { accountId, name: 'desk', mode, scopes, monthlyLimit: null, expiresAt: null };
          return { authorization: `Bearer ${(await issueKey(database.keys, options)).key}` };
        },
        used: async () => {
          const caller = await service.services.authenticate(pro.authorization);
          const { requests, ai } = await ledger.balance(caller);
          return { requests: requests.used, ai: ai.used };
        },
      });
    }, options);
}

export async function errorOf(
  answer: Response,
): Promise<{ status: number; code: string; param?: string; message: string }> {
  const { error } = (await answer.json()) as { error: { code: string; param?: string; message: string } };
  return { status: answer.status, ...error };
}

export const query = (values: Record<string, unknown>) =>
  `${PATH}?${new URLSearchParams(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  )}`;
