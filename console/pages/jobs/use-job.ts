/** Follows one job through its event stream while it runs, and keeps its last state after it ends. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { followEvents } from '../../../client/event-stream.ts';
import type { Job } from '../../../client/types.generated.ts';
import { api } from '../../shell/key.ts';
import { applyEvent, hasEnded } from './job-state.ts';

/** The stream ends with the job, so the webhook that follows is polled. */
const WEBHOOK_POLL_MS = 2000;

export function useJob(id: string) {
  const [job, setJob] = useState<Job>();
  const [error, setError] = useState<unknown>();
  // True while events arrive, and after the last event.
  const [isConnected, setConnected] = useState(true);
  const current = useRef<Job>(undefined);
  /** Replaces the job, for example with the service's response to a change. */
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
        take(applyEvent(current.current, event));
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
