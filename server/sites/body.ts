/** Bodies of requests about scans, checked as strictly as parameters. */
import { z } from 'zod';
import { expected, Failure, invalidParameter } from '../../base/failure.ts';
import { isObject } from '../../base/object.ts';
import { createDecoder, type Decoder, type PartialParams } from '../../base/parameter-decoder.ts';
import { describeExpectation, parameterSchemas } from '../../base/parameter-schema.ts';
import { hintForName } from '../../base/unknown-name.ts';
import { checkPatterns, type MatchPaths } from './patterns.ts';
import { type SiteScanSettings, scanSettingsSchema } from './settings.ts';

// Without the schema's id in the OpenAPI document, which would hide its fields.
const fields = z.strictObject(scanSettingsSchema.shape);
const settingsDecoder = createDecoder(fields);
const settingsFields = parameterSchemas(fields);

/** The settings that were sent. Settings that were not sent are missing. */
export type SentSettings = Partial<SiteScanSettings>;

/** Makes a decoder that also accepts `settings` beside the declared fields. */
export function withSettings<P extends object>({
  fromJson,
  complete,
}: Decoder<P>): Pick<Decoder<P & { settings?: SentSettings }>, 'fromJson' | 'complete'> {
  return {
    fromJson: ({ settings, ...values }): PartialParams => {
      const given = fromJson(values);
      return settings === undefined ? given : new Map([...given, ['settings', parseSettings(settings)]]);
    },
    complete: (...given) => {
      const all = new Map(given.flatMap((each) => [...each]));
      const settings = all.get('settings') as SentSettings | undefined;
      all.delete('settings');
      const own = complete(all);
      return settings === undefined ? own : { ...own, settings };
    },
  };
}

/** Fills in the defaults of missing settings. */
export const completeSettings = (sent: SentSettings): SiteScanSettings => scanSettingsSchema.parse(sent);

/** @throws Failure 400 `invalid_parameter`; its `param` names the invalid field, such as `settings.quality` */
function parseSettings(value: unknown): SentSettings {
  if (!isObject(value)) throw invalidParameter('an object of settings', 'settings', value);
  return Object.fromEntries(decodeSettings(value)) as SentSettings;
}

/**
 * Checks what the schema cannot express: the path patterns.
 * @throws Failure 400 `invalid_parameter`
 */
export async function checkSettings(sent: SentSettings, match: MatchPaths): Promise<void> {
  const lists = (['include', 'exclude', 'asset_exclude'] as const).map((name) => ({
    patterns: sent[name] ?? [],
    param: `settings.${name}`,
  }));
  await checkPatterns(lists, match);
}

function decodeSettings(value: Record<string, unknown>): PartialParams {
  try {
    return settingsDecoder.fromJson(value);
  } catch (error) {
    if (!(error instanceof Failure) || error.param === undefined) throw error;
    const { param } = error;
    const field = settingsFields.get(param);
    if (!field) throw unknownField(param);
    throw invalidParameter(describeExpectation(field), `settings.${param}`, value[param]);
  }
}

function unknownField(name: string): Failure {
  const names = [...settingsFields.keys()];
  return new Failure('invalid_parameter', expected(`one of ${names.join(', ')}`, 'a field of settings', name), {
    param: `settings.${name}`,
    hint: hintForName(name, names),
  });
}
