/** Clients of the MCP SDK for tests of the hosted server, with the test engine or the real one. */
import assert from 'node:assert/strict';
import {
  type CallToolResult,
  Client,
  type ClientOptions,
  type RequestOptions,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { issueKey, type Scope } from '../../../server/account/keys.ts';
import { testServiceEngine } from '../../support/engine.ts';
import { type TestOptions, type TestService, withService } from '../../support/service.ts';
import { assertTextMatchesStructured } from './facts.ts';

/** Creates a promise that the test resolves. Node 20 has no Promise.withResolvers. */
export function createDeferred(): { opened: Promise<void>; open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

export interface Result extends CallToolResult {
  structuredContent: { contract_version: number; error?: { code: string; message: string; hint: string } } & Record<
    string,
    unknown
  >;
  text: string;
}

/** Timeout of a call. It is long because other processes use the machine too. */
const CALL_TIMEOUT_MS = 240_000;

export class Agent {
  readonly client: Client;
  readonly transport: StreamableHTTPClientTransport;

  /** @param fetchFn sends the requests; by default the global `fetch` */
  constructor(origin: string, key: string, fetchFn: typeof fetch = fetch, options: ClientOptions = {}) {
    this.client = new Client({ name: 'test', version: '1' }, options);
    const headers = { authorization: `Bearer ${key}` };
    this.transport = new StreamableHTTPClientTransport(new URL(`${origin}/api/mcp`), {
      requestInit: { headers },
      fetch: fetchFn,
    });
  }

  async connect(): Promise<this> {
    await this.client.connect(this.transport);
    // After `listTools` the client checks results against the output schemas.
    await this.client.listTools();
    return this;
  }

  async call(name: string, args: object = {}, options?: RequestOptions): Promise<Result> {
    const asked = { name, arguments: args as Record<string, unknown> };
    const result = (await this.client.callTool(asked, { timeout: CALL_TIMEOUT_MS, ...options })) as Result;
    const [first] = result.content;
    assert.equal(first?.type, 'text');
    const { contract_version, error, ...facts } = result.structuredContent;
    assert.equal(contract_version, 1);
    assertTextMatchesStructured(error ?? facts, first.text, asked.arguments.fields as string[] | undefined);
    return { ...result, text: first.text };
  }

  /** Calls a tool that must fail and returns the code of the error. */
  async codeOf(name: string, args: object = {}): Promise<string | undefined> {
    const { isError, structuredContent, text } = await this.call(name, args);
    assert.equal(isError, true, text);
    const { code, message, hint } = structuredContent.error!;
    assert.equal(text, `${code}: ${message} ${hint}`);
    return code;
  }
}

export interface Agents extends TestService {
  /** A key of the free account with both scopes. */
  key: string;
  /** Issues a key with these scopes, of the free account by default or of the pro one. */
  issue(scopes: readonly Scope[], owner?: 'anna' | 'ben', monthlyLimit?: number): Promise<string>;
  agent(key?: string, fetchFn?: typeof fetch, options?: ClientOptions): Promise<Agent>;
  /** Returns what the free account has used this month. */
  used(): Promise<{ requests: number; ai: number; failed: number }>;
  /** Sends a raw message, which the client of the SDK might not send. */
  post(message: unknown, headers?: Record<string, string>): Promise<Response>;
}

export async function withAgents<T>(work: (agents: Agents) => Promise<T>, options?: TestOptions): Promise<T> {
  return await withService(async (service) => {
    const { database } = service.services;
    const issue: Agents['issue'] = async (scopes, owner = 'anna', monthlyLimit) => {
      const { id: accountId } = (await database.accounts.findByName(owner))!;
      const name = scopes.join(' and ');
      const rest = { mode: 'live' as const, monthlyLimit: monthlyLimit ?? null, expiresAt: null };
      return (await issueKey(database.keys, { accountId, name, scopes: [...scopes], ...rest })).key;
    };
    const key = await issue(['ai', 'sites']);
    const opened: Agent[] = [];
    try {
      return await work({
        ...service,
        key,
        issue,
        agent: async (own = key, fetchFn, options) => {
          const agent = new Agent(service.origin, own, fetchFn, options);
          opened.push(agent);
          return await agent.connect();
        },
        used: async () => {
          const answer = await service.call('/api/v1/usage');
          const usage = (await answer.json()) as Record<'requests' | 'ai', { used: number }> & {
            by_operation: { failed: number }[];
          };
          const failed = usage.by_operation.reduce((sum, each) => sum + each.failed, 0);
          return { requests: usage.requests.used, ai: usage.ai.used, failed };
        },
        post: (message, headers = {}) =>
          service.call('/api/mcp', {
            method: 'POST',
            body: typeof message === 'string' ? message : JSON.stringify(message),
            headers: {
              authorization: `Bearer ${key}`,
              'content-type': 'application/json',
              accept: 'application/json, text/event-stream',
              ...headers,
            },
          }),
      });
    } finally {
      for (const { client } of opened) await client.close();
    }
  }, options);
}

/** Agents at a service with the real engine. */
export interface EngineAgents extends Agents {
  /** Resolves when a worker starts the next task. */
  begun(): Promise<void>;
  /** The outcome of each finished task: its result or its error. */
  ended: unknown[];
}

/** @param options `modelsFolder`: has the models; default: without installed models */
export async function withEngine<T>(
  work: (agents: EngineAgents) => Promise<T>,
  options?: TestOptions & { modelsFolder?: string },
): Promise<T> {
  const engine = await testServiceEngine(options?.modelsFolder);
  const waiting: (() => void)[] = [];
  const ended: unknown[] = [];
  return await withAgents(async (agents) => {
    agents.services.engine = {
      ...agents.services.engine,
      run: async (name, input, runOptions = {}) => {
        const onStart = (waitedMs: number) => {
          runOptions.onStart?.(waitedMs);
          for (const begin of waiting.splice(0)) begin();
        };
        const running = engine.run(name, input, { ...runOptions, onStart });
        ended.push(await running.catch((error: unknown) => error));
        return running;
      },
    };
    const begun = () => new Promise<void>((resolve) => waiting.push(resolve));
    return await work({ ...agents, begun, ended });
  }, options);
}
