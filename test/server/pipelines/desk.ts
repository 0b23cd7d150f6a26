/** A service with the real engine, for tests that send pipelines with a Pro account. */
import { issueKey, type Scope } from '../../../server/account/keys.ts';
import { testServiceEngine } from '../../support/engine.ts';
import { type TestOptions, type TestService, withService } from '../../support/service.ts';

export const PATH = '/api/v1/pipeline';

export interface PipelineService extends TestService {
  /** Sends a request with the live key of the Pro account, unless `headers` has another. */
  send(path: string, init?: RequestInit): Promise<Response>;
  /** Creates a key of an account and returns it as a header. */
  keyOf(account: 'anna' | 'ben', scopes: Scope[], mode?: 'live' | 'test'): Promise<{ authorization: string }>;
  /** Returns the credits that the Pro account has used this month. */
  used(): Promise<{ requests: number; ai: number }>;
  /** Names of the tasks that the engine has received. */
  tasks: string[];
}

/** Runs `work` with a service that uses the real engine. */
export async function withPipelineService(
  work: (desk: PipelineService) => Promise<void>,
  options?: TestOptions,
): Promise<void> {
  // Only the model of the package is available, which upscales.
  const engine = await testServiceEngine();
  await withService(async (service) => {
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
