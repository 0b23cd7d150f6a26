/** The settings of a scan that most people leave as they are. */
import { declarations } from '../../../declarations/declarations.ts';
import type { ControlProps } from '../../../parameters/controls.ts';
import { ParameterForm } from '../../../parameters/form.tsx';
import { ListControl } from '../../../parameters/list-control.tsx';
import { SelectField, TextField } from '../../../ui/fields.tsx';
import { pluralize } from '../labels.ts';
import type { SiteTiers } from '../types.ts';
import { type Draft, type Field as FieldName, removeNullDefaults } from './draft.ts';
import { settingGroups } from './setting-groups.ts';

const SETTINGS = removeNullDefaults(declarations.scanSettings);
const GROUPS = settingGroups(SETTINGS);
const CONTROLS = { include: PatternLines, exclude: PatternLines, asset_exclude: PatternLines };

export interface FormErrors {
  fields: Partial<Record<FieldName, string>>;
  settings: Record<string, string>;
  /** An error that belongs to no field. */
  rest?: unknown;
}

export interface MoreSettingsProps {
  draft: Draft;
  errors: FormErrors;
  /** Undefined until they are loaded. */
  tiers: SiteTiers | undefined;
  onDraft(part: Partial<Draft>): void;
}

export function MoreSettings({ draft, errors, tiers, onDraft }: MoreSettingsProps) {
  const credits = tiers?.credits.filter(({ pages_left }) => pages_left > 0) ?? [];
  return (
    <details>
      <summary>More settings</summary>
      <div class="more-settings">
        <TextField
          label="Name"
          help="For you, as “Before the relaunch”."
          value={draft.name}
          error={errors.fields.name}
          onValue={(name) => onDraft({ name })}
        />
        <TextField
          label="Most pages"
          placeholder={tiers ? String(tiers.scan_pages) : ''}
          value={draft.maxPages}
          error={errors.fields.max_pages}
          onValue={(maxPages) => onDraft({ maxPages })}
        />
        {credits.length > 0 && (
          <SelectField
            label="Draw on a package"
            help="Pages are charged to it when they have been read."
            value={draft.package}
            error={errors.fields.package}
            options={[
              { value: '', label: 'none' },
              ...credits.map(({ package: id, pages_left }) => ({
                value: id,
                label: `${id}, ${pluralize(pages_left, 'page')} left`,
              })),
            ]}
            onValue={(credit) => onDraft({ package: credit })}
          />
        )}
        <ParameterForm
          parameters={SETTINGS}
          groups={GROUPS}
          values={draft.settings}
          onValues={(settings) => onDraft({ settings })}
          errors={errors.settings}
          controls={CONTROLS}
        />
      </div>
    </details>
  );
}

/** Edits one pattern per line. Commas do not separate patterns, because a pattern may contain one. */
function PatternLines(props: ControlProps) {
  return <ListControl {...props} read={linesOf} />;
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
