/** What Chromium itself says about how long the page's own thread was busy. */
import type { Page } from 'playwright-core';

interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  ts: number;
  /** Microseconds: by the clock, and of processor time. */
  dur?: number;
  tdur?: number;
  args?: { name?: string };
}

export interface Task {
  /** Milliseconds by the clock, and of processor time, which other programs do not make longer. */
  wall: number;
  busy: number;
}

/** Every task of the thread that runs the page's program, lays out and paints, while `work` runs; the longest first. */
export async function tracedTasks(page: Page, work: () => Promise<void>): Promise<Task[]> {
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
