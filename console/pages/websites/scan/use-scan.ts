/** Loads a scan and follows its event stream. */
import { useEffect, useState } from 'preact/hooks';
import { followEvents } from '../../../../client/event-stream.ts';
import { api } from '../../../shell/key.ts';
import { scanPath } from '../paths.ts';
import type { SiteScan } from '../types.ts';
import { isRunning } from './states.ts';

/** Minimum interval between updates of the lists. */
const CHANGES_MS = 3000;

export function useScan(id: string) {
  const [scan, setScan] = useState<SiteScan>();
  const [error, setError] = useState<unknown>();
  // The connection was lost and is being restored.
  const [isLost, setLost] = useState(false);
  // Increases when pages or images have changed. Lists then read them again.
  const [changes, setChanges] = useState(0);
  const [round, setRound] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    const { signal } = abort;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const noteChange = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        setChanges((count) => count + 1);
      }, CHANGES_MS);
    };
    const follow = async () => {
      const onConnection = (isOpen: boolean) => setLost(!isOpen);
      let status: SiteScan['status'] | undefined;
      for await (const { name, data } of followEvents(api.value, scanPath(id, 'events'), { signal, onConnection })) {
        const told = JSON.parse(data);
        if (name === 'progress') setScan((present) => present && { ...present, ...told });
        if (name === 'page' || name === 'asset') noteChange();
        if (name !== 'scan' && name !== 'end') continue;
        setScan(told);
        if (status !== undefined && status !== told.status) setChanges((count) => count + 1);
        status = told.status;
        if (name === 'end') return;
      }
    };
    setError(undefined);
    follow().catch((reason: unknown) => {
      if (!signal.aborted) setError(reason);
    });
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [id, round, api.value]);
  /** Shows the service's response to a change, and follows the stream again if the scan is running. */
  const show = (answered: SiteScan) => {
    setScan(answered);
    setChanges((count) => count + 1);
    // The event stream of an idle scan has ended, so follow it again.
    if (isRunning(answered)) setRound((count) => count + 1);
  };
  return { scan, error, isLost, changes, show };
}
