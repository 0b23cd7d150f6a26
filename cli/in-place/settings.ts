/** The settings of in-place optimization: the scan settings that apply to single files. */
import type { z } from 'zod';
import { scanSettingsSchema } from '../../server/sites/settings.ts';

export const inPlaceSettingsSchema = scanSettingsSchema.pick({
  mode: true,
  quality: true,
  metadata: true,
  min_savings_bytes: true,
  min_savings_percent: true,
  recompress_webp: true,
  optimize_svg: true,
  include: true,
  exclude: true,
});

export type InPlaceSettings = z.output<typeof inPlaceSettingsSchema>;

export const IN_PLACE_SETTINGS: readonly string[] = Object.keys(inPlaceSettingsSchema.shape);
