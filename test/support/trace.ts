/** Measures with the tracing of Chromium how long the main thread of a page was busy. */
import type { Page } from 'playwright-core';

interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  ts: number;
  /** Microseconds of wall-clock time and of CPU time. */
  dur?: number;
  tdur?: number;
  args?: { name?: string };
}

export interface Task {
  /** Milliseconds of wall-clock time and of CPU time. Other programs do not lengthen the latter. */
  wall: number;
  busy: number;
}

/**
 * Returns every task that the main thread of the page (scripts, layout, paint) has run during `work`, the longest
 * first.
 */
export async function traceMainThread(page: Page, work: () => Promise<void>): Promise<Task[]> {
  const session = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.start', { transferMode: 'ReportEvents', categories: 'toplevel,devtools.timeline' });
  await work();
  await session.send('Tracing.end');
  await complete;
  await session.detach();
  const threads = new Set(
    events
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid}:${tid}`),
  );
  return events
    .filter(({ name, ph, pid, tid }) => name.endsWith('RunTask') && ph === 'X' && threads.has(`${pid}:${tid}`))
    .map(({ dur = 0, tdur = dur }) => ({ wall: dur / 1000, busy: tdur / 1000 }))
    .sort((one, other) => other.busy - one.busy);
}
