/** What the cache holds for the account, and removing images from it. */
import { useState } from 'preact/hooks';
import { DeliveredImages } from '../../../client/account.ts';
import type { ListDeliveredImagesAnswer } from '../../../client/types.generated.ts';
import { api } from '../../shell/key.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Notice } from '../../ui/feedback.tsx';
import { Form, TextField } from '../../ui/fields.tsx';
import { bytesText, countText } from '../../ui/format.ts';
import { SegmentedControl } from '../../ui/segments.tsx';
import { useAction } from '../../ui/use-latest.ts';

const KINDS = [
  { value: 'source', label: 'Of one original' },
  { value: 'prefix', label: 'Of a folder' },
  { value: 'tag', label: 'With a tag' },
  { value: 'all', label: 'All' },
] as const;
type Kind = (typeof KINDS)[number]['value'];

const FIELDS: Readonly<Record<Exclude<Kind, 'all'>, string>> = {
  source: 'Address of the original',
  prefix: 'Beginning of the addresses',
  tag: 'Tag',
};

interface LoadedCache {
  value: ListDeliveredImagesAnswer | undefined;
  error: unknown;
  reload(): void;
}

export function CachePanel({ cache: { value, error, reload } }: { cache: LoadedCache }) {
  const [kind, setKind] = useState<Kind>('source');
  const [text, setText] = useState('');
  const [removed, setRemoved] = useState<number>();
  const action = useAction();

  const purge = () =>
    action.run(async (signal) => {
      setRemoved(undefined);
      const which = kind === 'all' ? { all: true } : { [kind]: text.trim() };
      const answer = await new DeliveredImages(api.value).purge(which, { signal });
      setRemoved(answer.removed);
      reload();
    });

  return (
    <section class="card" aria-labelledby="cache">
      <h2 id="cache">Cache</h2>
      {error !== undefined && <Notice error={error}>The cache could not be read.</Notice>}
      {value && (
        <p>
          <strong>{countText(value.images)}</strong> {value.images === 1 ? 'image' : 'images'}, {bytesText(value.bytes)}
        </p>
      )}
      <p class="help">Remove images when their original has changed. The next request makes them again.</p>
      <Form class="purge-form" onSubmit={() => void purge()}>
        <SegmentedControl label="Which images" options={KINDS} value={kind} onValue={setKind} />
        {kind !== 'all' && <TextField label={FIELDS[kind]} required value={text} onValue={setText} />}
        <button type="submit" disabled={action.isBusy || (kind !== 'all' && text.trim() === '')}>
          Remove
        </button>
      </Form>
      {action.error !== undefined && <ErrorNotice error={action.error}>Nothing was removed.</ErrorNotice>}
      <p role="status">{removed !== undefined && `${countText(removed)} removed.`}</p>
    </section>
  );
}
