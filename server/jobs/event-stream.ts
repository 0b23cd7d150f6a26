/** What happens to a job, as server-sent events (spec/shapes.md, section 10.3). */
import type { Story, Teller } from '../event-stream.ts';
import type { JobEvent } from './events.ts';
import type { JobProgress, JobRecord, JobResult } from './record.ts';

/** Reads what is told. */
export interface JobView {
  record(): Promise<JobRecord>;
  result(position: number): Promise<JobResult>;
  progress(): Promise<JobProgress>;
}

const ENDED: ReadonlySet<JobRecord['status']> = new Set(['done', 'failed', 'cancelled']);

export function jobStory(view: JobView): Story<JobEvent> {
  const end = async ({ send, end }: Teller) => {
    send('end', await view.record());
    end();
  };
  return {
    begin: async (teller) => {
      const record = await view.record();
      teller.send('job', record);
      if (ENDED.has(record.status)) await end(teller);
    },
    hear: async (event, teller) => {
      if (event.type === 'item') teller.send('result', await view.result(event.position));
      if (event.type === 'ended') await end(teller);
      else teller.send('progress', { progress: await view.progress() });
    },
  };
}
