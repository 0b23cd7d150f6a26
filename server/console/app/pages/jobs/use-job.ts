/** One job, live for as long as it runs; then as it was when it ended. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Job } from '../../../../../client/types.generated.ts';
import { api } from '../../shell/key.ts';
import { followEvents } from '../../ui/event-stream.ts';
import { afterEvent, hasEnded } from './job-state.ts';

/** Of what happens after the end, the webhook, there are no events. */
const WEBHOOK_POLL_MS = 2000;

export interface LiveJob {
  job: Job | undefined;
  error: unknown;
  /** Events come, or none is to come any more. */
  isConnected: boolean;
  /** What the service has answered to a change of it. */
  take(job: Job): void;
}

export function useJob(id: string): LiveJob {
  const [job, setJob] = useState<Job>();
  const [error, setError] = useState<unknown>();
  const [isConnected, setConnected] = useState(true);
  const current = useRef<Job>(undefined);
  const take = (next: Job | undefined) => {
    current.current = next;
    setJob(next);
  };

  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const follow = async () => {
      const options = { signal, onConnection: (isOpen: boolean) => signal.aborted || setConnected(isOpen) };
      for await (const event of followEvents(api.value, `/api/v1/jobs/${id}/events`, options)) {
        take(afterEvent(current.current, event));
        if (event.name === 'end') break;
      }
    };
    follow().catch((failure: unknown) => signal.aborted || setError(failure));
    return () => controller.abort();
  }, [id]);

  const isDelivering = job !== undefined && hasEnded(job) && job.webhook?.status === 'pending';
  useEffect(() => {
    if (!isDelivering) return;
    const controller = new AbortController();
    const read = async () => {
      const { signal } = controller;
      const next = await api.value.json<Job>(`/api/v1/jobs/${id}`, { signal }).catch(() => ({ ...job! }));
      if (!signal.aborted) take(next);
    };
    const timer = setTimeout(() => void read(), WEBHOOK_POLL_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [job]);

  return { job, error, isConnected, take };
}
