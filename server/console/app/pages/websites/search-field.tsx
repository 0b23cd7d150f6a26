import { useEffect, useState } from 'preact/hooks';
import { TextField } from '../../ui/fields.tsx';
import { setFilters } from './filters.ts';

/** A pause in typing. */
const PAUSE_MS = 300;

/** Looks for a part of an address; asks when the person pauses. */
export function SearchField({ label, value }: { label: string; value: string }) {
  const [text, setText] = useState(value);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => setFilters({ q: text.trim() || undefined }), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return <TextField label={label} type="search" maxLength={200} value={text} onValue={setText} />;
}
