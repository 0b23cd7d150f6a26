/** What the scans of websites use. */

import type { Engine } from '../../engine/engine.ts';
import type { Database } from '../../storage/ports/database.ts';
import type { Results } from '../../storage/results.ts';
import type { Ledger } from '../account/ledger.ts';
import type { Plans } from '../account/plans.ts';
import type { Config } from '../config.ts';
import type { Resolve } from '../http/connector.ts';
import type { EventStreams } from '../http/event-stream.ts';
import type { Uploads } from '../http/uploads.ts';
import type { LocalProgram } from './local-server.ts';
import type { SiteScans } from './scans.ts';

export interface SiteServices {
  config: Pick<Config, 'uploadTimeoutSeconds' | 'allowPrivateAddresses' | 'host' | 'port' | 'workers' | 'scansRunning'>;
  database: Database;
  results: Results;
  scans: SiteScans;
  eventStreams: EventStreams;
  engine: Engine;
  ledger: Ledger;
  plans: Plans;
  uploads: Uploads;
  /** Looks up the hosts of websites. */
  resolve: Resolve;
  /** The current time in milliseconds. */
  now: () => number;
  /** The local MCP server that agents start. */
  localProgram(): Promise<LocalProgram>;
  /** Public address of the service, without a trailing slash. */
  readonly baseUrl: string;
}
