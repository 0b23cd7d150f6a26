/** One path and method of the service: its access, its documentation and its handler. */
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import type { ErrorCode } from '../../base/failure.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Database } from '../../storage/database.ts';
import type { Results } from '../../storage/results.ts';
import type { WriteProbe } from '../../storage/write-probe.ts';
import type { Authenticate } from '../account/authenticate.ts';
import type { FailedAttempts } from '../account/failed-attempts.ts';
import type { Ledger } from '../account/ledger.ts';
import type { Plans } from '../account/plans.ts';
import type { Rates } from '../account/rates.ts';
import type { Config } from '../config.ts';
import type { EventStreams } from '../event-stream.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Metrics } from '../metrics.ts';
import type { SiteScans } from '../sites/scans.ts';
import type { WebhookSender } from '../webhooks/sender.ts';
import type { ClientAddresses } from './client-address.ts';
import type { Resolve } from './connector.ts';
import type { Caller, Context } from './context.ts';
import type { Outgoing } from './outgoing.ts';
import type { Uploads } from './uploads.ts';

/** `starting` until the workers are up, `draining` once the service is being stopped. */
export type Lifecycle = 'starting' | 'ready' | 'draining';

/** Everything that endpoints use. */
export interface Services {
  config: Config;
  database: Database;
  results: Results;
  writeProbe: WriteProbe;
  jobs: Jobs;
  scans: SiteScans;
  eventStreams: EventStreams;
  webhooks: WebhookSender;
  engine: Engine;
  outgoing: Outgoing;
  uploads: Uploads;
  metrics: Metrics;
  authenticate: Authenticate;
  clientAddresses: ClientAddresses;
  failedAttempts: FailedAttempts;
  plans: Plans;
  ledger: Ledger;
  rates: Rates;
  /** Looks up the hosts of websites. */
  resolve: Resolve;
  /** The current time in milliseconds. */
  now: () => number;
  /** Public address of the service, without a trailing slash. */
  readonly baseUrl: string;
  readonly lifecycle: Lifecycle;
}

interface Declared {
  method: 'get' | 'post' | 'patch' | 'delete';
  /** With parameters as `{id}`. */
  path: string;
  /** Name in logs, metrics and the OpenAPI document. */
  operation: string;
  /** Error codes of this endpoint in addition to those that all endpoints have. */
  errors: readonly ErrorCode[];
  /** Its part of the OpenAPI document, without what the fields above provide. Undefined leaves the endpoint out. */
  documentation: ZodOpenApiOperationObject | undefined;
  /** Still serves requests while the service is being stopped. */
  whileDraining?: true;
  /** Responds to requests that are refused for every caller. Returns true if it has responded. */
  refuses?(ctx: Context, services: Services): boolean;
}

export interface OpenEndpoint extends Declared {
  access: 'open';
  handle(ctx: Context, services: Services): Promise<void> | void;
}

export interface KeyEndpoint extends Declared {
  access: 'key';
  handle(ctx: Context, services: Services, caller: Caller): Promise<void> | void;
}

/** For the operator, who holds IC_ADMIN_TOKEN. Without that setting the path does not exist. */
export interface AdminEndpoint extends Declared {
  access: 'admin';
  handle(ctx: Context, services: Services): Promise<void> | void;
}

export type Endpoint = OpenEndpoint | KeyEndpoint | AdminEndpoint;
