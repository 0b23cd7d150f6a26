/** What happens to a job, as server-sent events (HTML standard, section 9.2; spec/shapes.md, section 10.3). */
import { PassThrough } from 'node:stream';
import type { JobEvent, JobEvents } from './events.ts';
import type { JobProgress, JobRecord, JobResult } from './record.ts';

const COMMENT_MS = 15_000;
/** Then the client connects again, if it likes. */
const LONGEST_MS = 10 * 60_000;

/** Reads what is told. */
export interface JobView {
  record(): Promise<JobRecord>;
  result(position: number): Promise<JobResult>;
  progress(): Promise<JobProgress>;
}

const ENDED: ReadonlySet<JobRecord['status']> = new Set(['done', 'failed', 'cancelled']);

/** The stream for one client; it ends with the job, after its time, or when the client goes away. */
export function eventStream(jobId: string, events: JobEvents, view: JobView): PassThrough {
  const stream = new PassThrough();
  const write = (text: string) => {
    if (!stream.writableEnded) stream.write(text);
  };
  const send = (name: string, data: unknown) => write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  // One after the other, so that they arrive in the order in which they happened.
  let telling: Promise<void> = Promise.resolve();
  const tell = (work: () => Promise<void>) => {
    telling = telling.then(async () => {
      if (!stream.destroyed) await work();
    });
    telling.catch((error: Error) => stream.destroy(error));
  };
  const end = async () => {
    send('end', await view.record());
    stream.end();
  };
  const hear = (event: JobEvent) =>
    tell(async () => {
      if (event.type === 'item') send('result', await view.result(event.position));
      if (event.type === 'ended') await end();
      else send('progress', { progress: await view.progress() });
    });

  // Watched before the job is read: what happens in between is told twice rather than not at all.
  const unwatch = events.watch(jobId, hear);
  const comment = setInterval(() => write(':\n\n'), COMMENT_MS).unref();
  const close = () => stream.end();
  const longest = setTimeout(close, LONGEST_MS).unref();
  events.closing.addEventListener('abort', close);
  stream.once('close', () => {
    unwatch();
    events.closing.removeEventListener('abort', close);
    clearInterval(comment);
    clearTimeout(longest);
  });
  tell(async () => {
    const record = await view.record();
    send('job', record);
    if (ENDED.has(record.status)) await end();
  });
  return stream;
}
