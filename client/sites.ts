/** Finds, analyses, converts and packages all images of a website. */
import { type CallOptions, Group, jsonBody, segment } from './calls.ts';
import { Scans } from './scans.ts';
import type { Transport } from './transport.ts';
import type { SiteOptimizeRun, SiteTiers, StartSiteOptimizeAnswer, StartSiteOptimizeBody } from './types.generated.ts';

const PATH = '/api/v1/sites/optimize';

export class Sites {
  /** From a URL to optimized images in one call. */
  readonly optimize: SiteOptimize;
  /** The same in separate steps. */
  readonly scans: Scans;
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.optimize = new SiteOptimize(transport);
    this.scans = new Scans(transport);
    this.#transport = transport;
  }

  /** Returns the limits of each tier, the caller's plan, its websites and its scan packages. */
  tiers(options: CallOptions = {}): Promise<SiteTiers> {
    return this.#transport.json('/api/v1/sites/tiers', options);
  }
}

const ENDED: ReadonlySet<SiteOptimizeRun['status']> = new Set(['done', 'failed', 'cancelled']);
const POLL_MS = 2000;

export class SiteOptimize extends Group {
  start(request: StartSiteOptimizeBody, options: CallOptions = {}): Promise<StartSiteOptimizeAnswer> {
    return this.transport.json(PATH, { method: 'POST', ...options, ...jsonBody(request) });
  }

  /** Returns the run, with the URL of the ZIP when it is done. */
  read(id: string, options: CallOptions = {}): Promise<SiteOptimizeRun> {
    return this.transport.json(`${PATH}/${segment(id)}`, options);
  }

  cancel(id: string, options: CallOptions = {}): Promise<SiteOptimizeRun> {
    return this.transport.json(`${PATH}/${segment(id)}`, { method: 'DELETE', ...options });
  }

  /** Returns the run when it has ended, whether it is done, failed or cancelled. */
  async wait(id: string, options: CallOptions = {}): Promise<SiteOptimizeRun> {
    for (;;) {
      const run = await this.read(id, options);
      if (ENDED.has(run.status)) return run;
      await this.transport.pause(POLL_MS, options.signal);
    }
  }
}
