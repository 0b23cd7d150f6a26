/** GET /api/v1/formats: the formats that the service reads and writes (docs/spec/shapes.md, section 13). */
import { z } from 'zod';
import type { OutputTraits } from '../../codecs/formats/format.ts';
import {
  type AvailableFormats,
  FORMATS,
  INPUT_FORMATS,
  OUTPUTS,
  type OutputFormat,
} from '../../codecs/formats/registry.ts';
import { OPERATIONS } from '../../engine/operations/registry.ts';
import { TEXT_LANGUAGES } from '../../models/text-languages.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { jsonResponse } from '../http/openapi-parts.ts';
import { ZIP_FORMAT } from '../results/zip.ts';
import type { ImageServices } from './services.ts';

const format = z
  .object({
    id: z.string().meta({ examples: ['webp'] }),
    name: z.string().meta({ examples: ['WebP'] }),
    extensions: z.array(z.string()).meta({ description: 'Without the dot.', examples: [['webp']] }),
    content_types: z
      .array(z.string())
      .meta({ description: 'The first is used for output.', examples: [['image/webp']] }),
    read: z.boolean(),
    write: z.boolean(),
    lossless: z.boolean().meta({ description: 'Mode lossless is possible when writing.' }),
    alpha: z.boolean(),
    animation_read: z.boolean(),
    animation_write: z.boolean(),
    multi_page: z.boolean(),
    needs_filename: z.boolean().meta({ description: 'No signature of its own: raw bodies need `filename`.' }),
    note: z.string().nullable(),
  })
  .meta({ id: 'Format' });

const formatList = z.object({
  formats: z.array(format),
  operations: z
    .record(z.string(), z.object({ output: z.array(z.string()), default: z.string() }))
    .meta({ description: 'Output formats of each operation; zip is a pack of files.' }),
  ocr_languages: z
    .array(z.object({ code: z.string(), name: z.string() }))
    .meta({ description: 'Languages whose text is read.', examples: [[{ code: 'eng', name: 'English' }]] }),
  max_pixels: z.int().meta({ description: 'Largest image that is read.' }),
});

function listFormats({ read, write }: AvailableFormats): z.output<typeof format>[] {
  return INPUT_FORMATS.toSorted().map((id) => {
    const { name, extensions, contentTypes, alpha, animation, pages, named, note } = FORMATS[id];
    const readable = read.includes(id);
    const written: OutputTraits | undefined = write.find((format) => format === id) && OUTPUTS[id as OutputFormat];
    return {
      id,
      name,
      extensions: [...extensions],
      content_types: [...contentTypes],
      read: readable,
      write: written !== undefined,
      lossless: written?.lossless ?? false,
      alpha: alpha ?? false,
      animation_read: readable && (animation ?? false),
      animation_write: written !== undefined && written.animation !== 'none',
      multi_page: readable && (pages ?? false),
      needs_filename: named ?? false,
      note: note ?? null,
    };
  });
}

function listOperations({ write }: AvailableFormats): z.output<typeof formatList>['operations'] {
  const written = (formats: readonly OutputFormat[]) => formats.filter((id) => write.includes(id));
  return Object.fromEntries(
    OPERATIONS.flatMap(({ name, output }) => {
      // The names are those of the steps of a pipeline.
      const key = name.replaceAll('-', '_');
      if (output.kind === 'record') return [];
      if (output.kind === 'zip') return [[key, { output: [ZIP_FORMAT], default: ZIP_FORMAT }]];
      return [[key, { output: written(output.formats), default: output.defaultFormat }]];
    }),
  );
}

export const formatsEndpoint: Endpoint<ImageServices> = {
  method: 'get',
  path: '/api/v1/formats',
  operation: 'list_formats',
  access: 'key',
  summary: 'The formats that the service reads and writes',
  description: 'Free of charge.',
  tags: ['Service'],
  responses: { '200': jsonResponse('The formats.', formatList) },
  handle: async (ctx, { config, engine }) => {
    const available = await engine.ready();
    ctx.body = {
      formats: listFormats(available),
      operations: listOperations(available),
      ocr_languages: Object.entries(TEXT_LANGUAGES).map(([code, name]) => ({ code, name })),
      max_pixels: config.maxPixels,
    } satisfies z.output<typeof formatList>;
  },
};
