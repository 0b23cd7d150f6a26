import { useEffect, useState } from 'preact/hooks';
import { Notice } from '../../ui/feedback.tsx';
import { timeText } from '../../ui/format.ts';
import { timeLeft } from './job-state.ts';

const TICK_MS = 10_000;

/** Returns the current time in milliseconds and renders again as it passes. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}

export function TimeLeft({ expiresAt, now }: { expiresAt: string; now: number }) {
  const left = timeLeft(expiresAt, now);
  if (left === undefined)
    return (
      <Notice kind="warning">
        Results live for an hour; the first of these ended at {timeText(expiresAt)}. Start the job again to have them
        again.
      </Notice>
    );
  return (
    <p class="help">
      Results live for an hour: the first is deleted {left}, at {timeText(expiresAt)}.
    </p>
  );
}
