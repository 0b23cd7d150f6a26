/** What happens to a scan, as server-sent events (spec/shapes.md, section 17.11). */
import type { Story, Teller } from '../event-stream.ts';
import type { ScanEvent } from './events.ts';
import type { ScanRecord } from './records/scan.ts';
import { AT_WORK } from './states.ts';

/** Reads what is told; undefined for what has been deleted. */
export interface ScanView {
  scan(): Promise<ScanRecord | undefined>;
  page(seq: number): Promise<object | undefined>;
  asset(seq: number): Promise<object | undefined>;
}

export function scanStory(view: ScanView): Story<ScanEvent> {
  /** Ends with the scan, and where it waits for its owner. */
  const tellScan = async ({ send, end }: Teller) => {
    const scan = await view.scan();
    if (scan) send('scan', scan);
    if (scan && AT_WORK.has(scan.status)) return;
    if (scan) send('end', scan);
    end();
  };
  const tell = ({ send }: Teller, name: string, data: object | undefined) => {
    if (data) send(name, data);
  };
  return {
    begin: tellScan,
    hear: async (event, teller) => {
      switch (event.type) {
        case 'changed':
          return await tellScan(teller);
        case 'removed':
          return teller.end();
        case 'progress': {
          const scan = await view.scan();
          return tell(teller, 'progress', scan && { progress: scan.progress, totals: scan.totals });
        }
        case 'page':
          return tell(teller, 'page', await view.page(event.seq));
        case 'asset':
          return tell(teller, 'asset', await view.asset(event.seq));
      }
    },
  };
}
