/** Covers areas of a frame in place, the given ones or those of the detected faces: for the operation and the step. */
import type { Box } from '../../../base/geometry.ts';
import type { Image } from '../../../codecs/vips.ts';
import type { LoadedModel } from '../../../models/runtime.ts';
import type { WorkerContext } from '../../context.ts';
import type { Warning } from '../../result.ts';
import { facesOf } from '../faces/detect.ts';
import { cover } from './cover.ts';
import { type BlurFacesParams, parseBoxes, SAFE_STRENGTH } from './params.ts';

/** What is left of a head on its shoulders may be detected as a face, but with a lower score. */
const MIN_SCORE = 0.85;

/**
 * @param model if faces are to be found
 * @returns the number of areas that were covered
 */
export async function coverFaces(
  context: WorkerContext,
  frame: Image,
  params: Pick<BlurFacesParams, 'effect' | 'strength' | 'boxes'>,
  model: LoadedModel | undefined,
): Promise<{ covered: number; warnings: Warning[] }> {
  const areas = model ? await facesOf(context, frame, model) : parseBoxes(params.boxes ?? '');
  const covered = areas.filter((area) => cover(context, frame, area, params)).length;
  if (!model) return { covered, warnings: [] };
  if (covered === 0) return { covered, warnings: ['no_faces_found'] };
  const isWeak = params.strength < SAFE_STRENGTH && (await isAnyFound(context, frame, areas, model));
  return { covered, warnings: isWeak ? ['weak_cover'] : [] };
}

/** Whether the model still finds a face in one of the covered areas. */
async function isAnyFound(
  context: WorkerContext,
  frame: Image,
  areas: readonly Box[],
  model: LoadedModel,
): Promise<boolean> {
  const found = await facesOf(context, frame, model);
  return found.some((face) => face.score > MIN_SCORE && areas.some((area) => contains(area, face)));
}

/** Whether the centre of a box is inside the area. */
const contains = (area: Box, { x, y, width, height }: Box): boolean =>
  Math.abs(x + width / 2 - area.x - area.width / 2) < area.width / 2 &&
  Math.abs(y + height / 2 - area.y - area.height / 2) < area.height / 2;
