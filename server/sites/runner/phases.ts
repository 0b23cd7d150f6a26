/** The phases of a scan, in order (docs/spec/shapes.md, section 17.2). */
import type { ScanStatus } from '../../../storage/records/site-scans.ts';
import { assess } from '../findings/assess.ts';
import { judgeSizes } from '../findings/certain-sizes.ts';
import { refreshTotals } from '../findings/totals.ts';
import { markWanted, optimize } from '../optimize/optimize.ts';
import { buildPackage } from '../package/build.ts';
import { whenNotOverloaded } from './background.ts';
import type { ScanContext } from './context.ts';
import { discover } from './discover.ts';
import { scan } from './scan.ts';

export type Phase = 'discovering' | 'scanning' | 'optimizing' | 'packaging';

/** Each phase returns the status that follows. An interrupted phase is run again. */
export const PHASES: Readonly<Record<Phase, (context: ScanContext) => Promise<ScanStatus>>> = {
  async discovering(context) {
    await discover(context);
    await refreshTotals(context);
    return context.scan.review === 1 ? 'review' : 'scanning';
  },

  async scanning(context) {
    await scan(context);
    await judgeSizes(context);
    await assess(context);
    if (context.scan.optimize === 'manual') return 'ready';
    await markWanted(context);
    return 'optimizing';
  },

  async optimizing(context) {
    await optimize(context);
    await assess(context);
    return 'packaging';
  },

  async packaging(context) {
    await whenNotOverloaded(() => buildPackage(context), context.signal);
    return 'done';
  },
};

export const isPhase = (status: ScanStatus): status is Phase => Object.hasOwn(PHASES, status);
