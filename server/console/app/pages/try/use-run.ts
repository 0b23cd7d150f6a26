import { useState } from 'preact/hooks';
import { api } from '../../shell/key.ts';
import { useLatest } from '../../ui/use-latest.ts';
import { type Asked, callOf } from './request/call.ts';
import { type Answer, readAnswer } from './result/answer.ts';

export interface Done {
  asked: Asked;
  answer: Answer;
}

export interface Run {
  isRunning: boolean;
  /** The last result. It stays while the next request runs. */
  done: Done | undefined;
  error: unknown;
}

const NONE: Run = { isRunning: false, done: undefined, error: undefined };

/** Runs one request at a time. The response to a superseded request is ignored. */
export function useRun() {
  const latest = useLatest();
  const [run, setRun] = useState<Run>(NONE);
  return {
    run,
    async start(asked: Asked): Promise<void> {
      setRun(({ done }) => ({ isRunning: true, done, error: undefined }));
      const { path, call } = callOf(asked);
      try {
        const answer = await latest(async (signal) => readAnswer(await api.value.send(path, { ...call, signal })));
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
