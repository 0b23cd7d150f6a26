/** The fields that say which pages a scan reads. */
import { Field, TextField } from '../../../ui/fields.tsx';
import { SegmentedControl } from '../../../ui/segments.tsx';
import type { Draft, Field as FieldName } from './draft.ts';

const SOURCES = [
  { value: 'url', label: 'Website' },
  { value: 'sitemap', label: 'Sitemap' },
  { value: 'list', label: 'List of pages' },
] as const;

export interface SourceFieldsProps {
  draft: Draft;
  errors: Partial<Record<FieldName, string>>;
  onDraft(part: Partial<Draft>): void;
}

export function SourceFields({ draft, errors, onDraft }: SourceFieldsProps) {
  return (
    <>
      <SegmentedControl
        label="Where the pages come from"
        options={SOURCES}
        value={draft.source}
        onValue={(source) => onDraft({ source })}
      />
      {draft.source === 'list' ? (
        <Field label="Addresses of the pages" help="One a line, all of one website." error={errors.urls}>
          {(described) => (
            <textarea
              {...described}
              rows={6}
              spellcheck={false}
              placeholder={'https://example.com/\nhttps://example.com/about'}
              value={draft.urls}
              onInput={({ currentTarget }) => onDraft({ urls: currentTarget.value })}
            />
          )}
        </Field>
      ) : (
        <TextField
          label={draft.source === 'url' ? 'Address of the website' : 'Address of the sitemap'}
          // Not of type url, because browsers then refuse an address without a scheme.
          placeholder={draft.source === 'url' ? 'example.com' : 'example.com/sitemap.xml'}
          help={
            draft.source === 'url'
              ? 'Its pages are found by sitemaps and links.'
              : 'Only the pages that it names are read.'
          }
          value={draft.url}
          error={errors.url}
          onValue={(url) => onDraft({ url })}
        />
      )}
    </>
  );
}
