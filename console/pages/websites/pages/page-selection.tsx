/** Selects many pages at once. */
import { useState } from 'preact/hooks';
import { Form, TextField } from '../../../ui/fields.tsx';
import { countText } from '../../../ui/format.ts';
import { pluralize } from '../labels.ts';
import type { SectionProps } from '../types.ts';

export function PageSelection({ scan, act }: Pick<SectionProps, 'scan' | 'act'>) {
  const [pattern, setPattern] = useState('');
  const [isSending, setSending] = useState(false);
  const { pages_selected, pages_found } = scan.totals;
  const select = async (selected: boolean, isAll: boolean) => {
    setSending(true);
    const isDone = await act({ action: 'select', selected, ...(isAll ? {} : { include: [pattern.trim()] }) });
    setSending(false);
    if (isDone && !isAll) setPattern('');
  };
  const hasPattern = pattern.trim() !== '';
  return (
    <section class="card selecting" aria-label="Choose pages">
      <p role="status">
        <strong>{countText(pages_selected)}</strong> of {pluralize(pages_found, 'page')} chosen. This scan may read{' '}
        {countText(scan.limits.pages_allowed)}.
      </p>
      <div class="row">
        <button type="button" disabled={isSending} onClick={() => void select(true, true)}>
          Choose all
        </button>
        <button type="button" disabled={isSending} onClick={() => void select(false, true)}>
          Choose none
        </button>
        <Form class="row by-path" onSubmit={() => hasPattern && void select(true, false)}>
          <TextField label="By path" placeholder="/blog/**" value={pattern} onValue={setPattern} />
          <button type="submit" disabled={isSending || !hasPattern}>
            Choose these
          </button>
          <button type="button" disabled={isSending || !hasPattern} onClick={() => void select(false, false)}>
            Leave these out
          </button>
        </Form>
      </div>
    </section>
  );
}
