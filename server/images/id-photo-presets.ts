/** GET /api/v1/id-photo: the presets of ID photos (docs/spec/shapes.md, section 12). */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { idPhoto } from '../../engine/operations/id-photo/definition.ts';
import { PRESETS, type Preset, presetSchema } from '../../engine/operations/id-photo/presets.ts';
import { isCurrent } from '../http/conditional.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { jsonResponse } from '../http/openapi-parts.ts';
import { operationPath } from './operation-endpoint.ts';
import type { ImageServices } from './services.ts';

const presetList = z.object({ presets: z.array(presetSchema).meta({ description: 'By country, then by id.' }) });

const compareText = (one: string, other: string) => (one < other ? -1 : Number(one > other));
const byCountry = (one: Preset, other: Preset) =>
  compareText(one.country, other.country) || compareText(one.id, other.id);

const LIST: z.output<typeof presetList> = { presets: [...PRESETS.values()].sort(byCountry) };
/** Weak, because the list is sent both compressed and uncompressed. */
const LIST_ETAG = `W/"${createHash('sha256').update(JSON.stringify(LIST)).digest('hex').slice(0, 32)}"`;

export const idPhotoPresets: Endpoint<ImageServices> = {
  method: 'get',
  path: operationPath(idPhoto),
  operation: 'list_id_photo_presets',
  access: 'open',
  summary: 'The size presets of ID photos, each with the page that it was read from',
  description: 'Needs no key.',
  tags: ['Images'],
  requestParams: {
    header: z.object({
      'If-None-Match': z.string().optional().meta({ description: 'The ETag that the client has.' }),
    }),
  },
  responses: {
    '200': jsonResponse('The presets.', presetList),
    '304': { description: 'The client has this list already.' },
  },
  handle(ctx) {
    ctx.set({ ETag: LIST_ETAG, 'Cache-Control': 'public, max-age=86400' });
    if (isCurrent(ctx.get('If-None-Match'), LIST_ETAG)) ctx.status = 304;
    else ctx.body = LIST;
  },
};
