import { useEffect, useState } from 'preact/hooks';
import { api } from '../../../shell/key.ts';
import { ConcurrencyLimiter } from './concurrency-limiter.ts';

/** Limits concurrent requests for originals to the website, as a scan does. */
const limiter = new ConcurrencyLimiter(3);

export interface LoadedFile {
  /** A `blob:` address, valid while the component shows the file. */
  url: string | undefined;
  error: unknown;
}

/** @param path of the API; with undefined, nothing is loaded */
export function useFile(path: string | undefined): LoadedFile {
  const [file, setFile] = useState<LoadedFile>({ url: undefined, error: undefined });
  const transport = api.value;
  useEffect(() => {
    setFile({ url: undefined, error: undefined });
    if (path === undefined) return;
    const abort = new AbortController();
    const { signal } = abort;
    let url: string | undefined;
    limiter
      .run(async () => (await transport.send(path, { signal })).blob(), signal)
      .then(
        (blob) => {
          if (signal.aborted) return;
          url = URL.createObjectURL(blob);
          setFile({ url, error: undefined });
        },
        (error: unknown) => {
          if (!signal.aborted) setFile({ url: undefined, error });
        },
      );
    return () => {
      abort.abort();
      if (url !== undefined) URL.revokeObjectURL(url);
    };
  }, [transport, path]);
  return file;
}
