/** Searches and describes the presets of ID photos. */
import type { IdPhotoPreset } from '../../../../client/types.generated.ts';

/** Returns the presets that contain all words in their country, document, name, id or size. */
export function presetsFor(presets: readonly IdPhotoPreset[], words: string): IdPhotoPreset[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return presets.filter((preset) => {
    const text = `${preset.name} ${preset.id} ${preset.country} ${preset.document} ${sizeText(preset)}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}

export const sizeText = ({ width_mm, height_mm, width, height }: IdPhotoPreset): string =>
  width_mm && height_mm ? `${width_mm} × ${height_mm} mm` : `${width} × ${height} px`;

/** Returns the allowed range of the head's height, in percent of the photo's height. */
export function headRange({
  head_min_mm,
  head_max_mm,
  height_mm,
}: IdPhotoPreset): readonly [number, number] | undefined {
  if (!head_min_mm || !head_max_mm || !height_mm) return undefined;
  return [(head_min_mm / height_mm) * 100, (head_max_mm / height_mm) * 100];
}
