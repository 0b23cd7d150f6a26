import { useState } from 'preact/hooks';
import { api } from '../../shell/key.ts';
import { useLatestTask } from '../../ui/use-latest.ts';
import { buildCall, type OperationRequest } from './request/call.ts';
import { type OperationResponse, readResponse } from './result/response.ts';

export interface CompletedRun {
  asked: OperationRequest;
  answer: OperationResponse;
}

export interface Run {
  isRunning: boolean;
  /** The last result. It stays while the next request runs. */
  done: CompletedRun | undefined;
  error: unknown;
}

const NONE: Run = { isRunning: false, done: undefined, error: undefined };

/** Runs one request at a time. The response to a superseded request is ignored. */
export function useRun() {
  const latest = useLatestTask();
  const [run, setRun] = useState<Run>(NONE);
  return {
    run,
    async start(asked: OperationRequest): Promise<void> {
      setRun(({ done }) => ({ isRunning: true, done, error: undefined }));
      const { path, call } = buildCall(asked);
      try {
        const answer = await latest(async (signal) => readResponse(await api.value.send(path, { ...call, signal })));
        if (answer) setRun({ isRunning: false, done: { asked, answer }, error: undefined });
      } catch (error) {
        setRun({ isRunning: false, done: undefined, error });
      }
    },
    cancel(): void {
      void latest(async () => undefined);
      setRun(({ done }) => ({ isRunning: false, done, error: undefined }));
    },
    clear(): void {
      void latest(async () => undefined);
      setRun(NONE);
    },
  };
}
