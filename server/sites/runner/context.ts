/** What the phases of a scan work with. */

import type { SiteScan } from '../../../storage/records/site-scans.ts';
import type { Caller } from '../../http/context.ts';
import type { Log } from '../../log.ts';
import type { ScanEvent } from '../events.ts';
import type { SiteClient } from '../fetch/site-client.ts';
import type { ScanOriginals } from '../originals.ts';
import type { PageRenderer } from '../render/renderer.ts';
import type { SiteServices } from '../services.ts';
import type { SiteScanSettings } from '../settings.ts';

export interface ScanContext {
  /** The scan as it was when the phase began. */
  scan: SiteScan;
  settings: SiteScanSettings;
  /** The account and the key that created it. */
  caller: Caller;
  services: SiteServices;
  client: SiteClient;
  /** Undefined: scripts of pages are not run. */
  renderer?: PageRenderer | undefined;
  originals: ScanOriginals;
  log: Log;
  /** Fires when the scan is cancelled or deleted, or the service is stopping. Nothing may be written after that. */
  signal: AbortSignal;
  tell(event: ScanEvent): void;
}
