import { useEffect, useState } from 'preact/hooks';
import { TextField } from '../../ui/fields.tsx';
import { setFilters } from './filters.ts';

/** Delay after typing before the search starts. */
const PAUSE_MS = 300;

/** Searches for part of an address once the user pauses. */
export function SearchField({ label, value }: { label: string; value: string }) {
  const [text, setText] = useState(value);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => setFilters({ q: text.trim() || undefined }), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return <TextField label={label} type="search" maxLength={200} value={text} onValue={setText} />;
}
