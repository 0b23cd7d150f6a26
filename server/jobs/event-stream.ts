/** The server-sent events of a job (docs/spec/shapes.md, section 10.3). */
import type { SseSubscription, SseWriter } from '../http/event-stream.ts';
import type { JobEvent } from './events.ts';
import type { JobProgress, JobRecord, JobResult } from './record.ts';

/** Reads the data of the events. */
export interface JobView {
  record(): Promise<JobRecord>;
  result(position: number): Promise<JobResult>;
  progress(): Promise<JobProgress>;
}

const ENDED: ReadonlySet<JobRecord['status']> = new Set(['done', 'failed', 'cancelled']);

export function jobSubscription(view: JobView): SseSubscription<JobEvent> {
  const end = async ({ send, end }: SseWriter) => {
    send('end', await view.record());
    end();
  };
  return {
    begin: async (writer) => {
      const record = await view.record();
      writer.send('job', record);
      if (ENDED.has(record.status)) await end(writer);
    },
    hear: async (event, writer) => {
      if (event.type === 'item') writer.send('result', await view.result(event.position));
      if (event.type === 'ended') await end(writer);
      else writer.send('progress', { progress: await view.progress() });
    },
  };
}
