/** Provides the services of a server to commands that run without one, in a temporary data folder. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { issueKey } from '../../server/account/keys.ts';
import { Plans } from '../../server/account/plans.ts';
import { type Config, loadConfig } from '../../server/config.ts';
import type { Caller } from '../../server/http/context.ts';
import { createLog, type Log } from '../../server/log.ts';
import type { Services } from '../../server/services.ts';
import { openServices } from '../../server/services.ts';
import { INSTALLED_PROGRAM } from '../../server/sites/local-server.ts';
import type { Io } from '../io.ts';

/** More than any website has, and less than the largest number that a plan may contain. */
const NO_LIMIT = 1_000_000_000_000;

/** The command line has no plan limits. Files may be as large as in the pro plan. */
const PLAN = 'command';
const PLANS = {
  [PLAN]: {
    based_on: 'pro',
    requests_per_month: null,
    ai_requests_per_month: null,
    requests_per_minute: null,
    optimize_pages: NO_LIMIT,
    scan_pages: NO_LIMIT,
    websites: NO_LIMIT,
    scan_assets: NO_LIMIT,
    scan_bytes: NO_LIMIT,
  },
} as const;

/** Placeholder base URL: no server runs. */
const PLACEHOLDER_BASE_URL = 'http://localhost';

export interface CommandServices {
  services: Services;
  caller: Caller;
  log: Log;
}

/**
 * Runs `work` with services and removes their folder afterwards, even after an error.
 * @param allowPrivate CIDR blocks to allow in addition to those of the environment
 */
export async function withCommandServices<T>(
  io: Io,
  allowPrivate: readonly string[],
  work: (opened: CommandServices) => Promise<T>,
): Promise<T> {
  const settings = loadConfig(io.env);
  const dataDir = await mkdtemp(join(tmpdir(), 'imagecrew-'));
  const closers: (() => Promise<unknown>)[] = [];
  try {
    const config: Config = {
      ...settings,
      dataDir,
      // Nobody else needs its files.
      storageUrl: undefined,
      // Nothing listens, so no address is the service's own.
      host: '127.0.0.1',
      allowPrivateAddresses: [...settings.allowPrivateAddresses, ...allowPrivate],
    };
    // Log only internal errors. The command itself reports everything else.
    const log = createLog(settings.logLevel === 'silent' ? 'silent' : 'error', { write: io.err });
    const { services } = await openServices(
      config,
      {
        log,
        plans: new Plans(PLANS),
        baseUrl: () => config.baseUrl ?? PLACEHOLDER_BASE_URL,
        lifecycle: () => 'ready',
        localProgram: async () => INSTALLED_PROGRAM,
      },
      (close) => closers.push(close),
    );
    return await work({ services, caller: await makeCaller(services), log });
  } finally {
    try {
      for (const close of closers.reverse()) await close();
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  }
}

async function makeCaller({ database }: Services): Promise<Caller> {
  const account = await database.accounts.create({ name: PLAN, email: null, plan: PLAN });
  const { record: key } = await issueKey(database.keys, {
    accountId: account.id,
    name: PLAN,
    mode: 'live',
    scopes: ['sites'],
    monthlyLimit: null,
    expiresAt: null,
  });
  return { account, key };
}
