import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Notice, Spinner } from '../../ui/feedback.tsx';

/** Wraps a component so that it is loaded when it is first shown. */
export function lazy<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  return function Later(props: P) {
    const [Part, setPart] = useState<ComponentType<P>>();
    const [error, setError] = useState<unknown>();
    useEffect(() => {
      load().then((part) => setPart(() => part), setError);
    }, []);
    if (error !== undefined) return <Notice error={error}>This part of the page could not be loaded.</Notice>;
    return Part ? <Part {...props} /> : <Spinner label="Loading" />;
  };
}
