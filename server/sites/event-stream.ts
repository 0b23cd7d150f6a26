/** The events of a scan, as server-sent events (docs/spec/shapes.md, section 17.11). */
import type { SseSubscription, SseWriter } from '../http/event-stream.ts';
import type { ScanEvent } from './events.ts';
import type { ScanRecord } from './records/scan.ts';
import { RUNNING_STATUSES } from './states.ts';

/** Reads the data to send. Each function returns undefined for something that has been deleted. */
export interface ScanView {
  scan(): Promise<ScanRecord | undefined>;
  page(seq: number): Promise<object | undefined>;
  asset(seq: number): Promise<object | undefined>;
}

export function scanSubscription(view: ScanView): SseSubscription<ScanEvent> {
  /** Sends the scan, and ends the stream when the scan has ended or waits for its owner. */
  const sendScan = async ({ send, end }: SseWriter) => {
    const scan = await view.scan();
    if (scan) send('scan', scan);
    if (scan && RUNNING_STATUSES.has(scan.status)) return;
    if (scan) send('end', scan);
    end();
  };
  const sendIfKnown = ({ send }: SseWriter, name: string, data: object | undefined) => {
    if (data) send(name, data);
  };
  return {
    begin: sendScan,
    hear: async (event, writer) => {
      switch (event.type) {
        case 'changed':
          return await sendScan(writer);
        case 'removed':
          return writer.end();
        case 'progress': {
          const scan = await view.scan();
          return sendIfKnown(writer, 'progress', scan && { progress: scan.progress, totals: scan.totals });
        }
        case 'page':
          return sendIfKnown(writer, 'page', await view.page(event.seq));
        case 'asset':
          return sendIfKnown(writer, 'asset', await view.asset(event.seq));
      }
    },
  };
}
