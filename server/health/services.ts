/** What the endpoints of health and metrics use. */

import type { Engine } from '../../engine/engine.ts';
import type { Database } from '../../storage/ports/database.ts';
import type { WriteProbe } from '../../storage/ports/write-probe.ts';
import type { FailedAttempts } from '../account/failed-attempts.ts';
import type { Ledger } from '../account/ledger.ts';
import type { Config } from '../config.ts';
import type { ClientAddresses } from '../http/client-address.ts';
import type { Lifecycle } from '../http/endpoint.ts';

export interface HealthServices {
  config: Pick<Config, 'modelsDir' | 'metricsToken'>;
  database: Pick<Database, 'ping'>;
  writeProbe: WriteProbe;
  ledger: Pick<Ledger, 'isWaitingForDisk'>;
  engine: Pick<Engine, 'stats'>;
  metrics: { readonly contentType: string; text(): Promise<string> };
  failedAttempts: FailedAttempts;
  clientAddresses: ClientAddresses;
  readonly lifecycle: Lifecycle;
}
