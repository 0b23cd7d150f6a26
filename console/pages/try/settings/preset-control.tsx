import { useEffect, useId, useState } from 'preact/hooks';
import type { IdPhotoPreset } from '../../../../client/types.generated.ts';
import type { ControlProps } from '../../../parameters/controls.ts';
import { api } from '../../../shell/key.ts';
import { Notice } from '../../../ui/feedback.tsx';
import { FieldError, TextField } from '../../../ui/fields.tsx';
import { bytesText } from '../../../ui/format.ts';
import { presetsFor, sizeText } from './presets.ts';

/** Loads the presets of the service. Undefined until loaded. */
export function usePresets(isWanted: boolean): { presets: readonly IdPhotoPreset[] | undefined; failure: unknown } {
  const [presets, setPresets] = useState<readonly IdPhotoPreset[]>();
  const [failure, setFailure] = useState<unknown>();
  useEffect(() => {
    if (!isWanted || presets) return;
    const controller = new AbortController();
    api.value
      .json<{ presets: IdPhotoPreset[] }>('/api/v1/id-photo', { signal: controller.signal })
      .then((answer) => setPresets(answer.presets))
      .catch((error: unknown) => {
        if (!controller.signal.aborted) setFailure(error);
      });
    return () => controller.abort();
  }, [isWanted, presets]);
  return { presets, failure };
}

interface PresetControlProps extends ControlProps, ReturnType<typeof usePresets> {
  /** The selected preset. */
  preset: IdPhotoPreset | undefined;
}

/** Lists the presets, searchable by country, document or size. */
export function PresetControl({ presets, preset, onValue, error, failure }: PresetControlProps) {
  const id = useId();
  const [words, setWords] = useState('');
  const shown = presetsFor(presets ?? [], words);
  return (
    <div class="preset">
      <TextField
        label="Preset"
        type="search"
        placeholder="Country, document or size"
        value={words}
        onValue={setWords}
      />
      <label class="hidden" for={id}>
        {shown.length} presets
      </label>
      <select
        id={id}
        size={6}
        value={preset?.id ?? ''}
        onChange={({ currentTarget }) => onValue(currentTarget.value || undefined)}
      >
        {shown.map((one) => (
          <option key={one.id} value={one.id}>
            {one.name}, {sizeText(one)}
          </option>
        ))}
      </select>
      {presets && shown.length === 0 && <p class="help">No preset has these words. Set your own size below.</p>}
      {preset && <PresetFacts preset={preset} />}
      {error && <FieldError>{error}</FieldError>}
      {failure !== undefined && <Notice error={failure} />}
    </div>
  );
}

function PresetFacts({ preset }: { preset: IdPhotoPreset }) {
  const { name, width, height, dpi, min_bytes, max_bytes, head_min_mm, head_max_mm, source_url, note } = preset;
  return (
    <p class="help">
      <strong>{name}</strong>: {width} × {height} pixels at {dpi} dpi
      {max_bytes && `, ${min_bytes ? `${bytesText(min_bytes)} to` : 'at most'} ${bytesText(max_bytes)}`}
      {head_min_mm && head_max_mm && `, head ${head_min_mm} to ${head_max_mm} mm`}. {note}{' '}
      {source_url && (
        <a href={source_url} target="_blank" rel="noreferrer">
          Where this was read
        </a>
      )}
    </p>
  );
}
