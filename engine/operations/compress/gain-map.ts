/** Keeps the gain map of an image whose pixels were only moved or resampled, and moves it in the same way. */

import { Failure } from '../../../base/failure.ts';
import type { Box, Size } from '../../../base/geometry.ts';
import type { Header } from '../../../codecs/decoded-image.ts';
import { OUTPUTS, type OutputFormat } from '../../../codecs/formats/registry.ts';
import type { Turn } from '../../../codecs/jpeg/requantize.ts';
import { encodeJpeg } from '../../../codecs/jpeg.ts';
import type { GainMap } from '../../../codecs/metadata/gain-map.ts';
import { keepsDescriptions, writeMetadata } from '../../../codecs/metadata/index.ts';
import { describeGainMap } from '../../../codecs/metadata/jpeg-gain-map.ts';
import { composeTurns, turnOf } from '../../../codecs/orient.ts';
import { formatOf, openSource } from '../../../codecs/read.ts';
import { decode, isDecodeError, STORED_COLOURS } from '../../../codecs/source.ts';
import type { Image, VipsApi } from '../../../codecs/vips.ts';
import type { WorkerContext } from '../../context.ts';
import type { EncodingParams } from '../../steps/compress.ts';
import { wholeOf } from '../../steps/crop.ts';
import { changesColours, changesPixels, isSameSize, type SizedStep } from '../../steps/step.ts';

/** What a result shows of its source: an area of the turned source, which is then scaled. */
export interface ShownPart {
  /** What turns the stored image to its place in the result. */
  turn: Turn;
  /** Size of the whole source after the turn. */
  whole: Size;
  /** In pixels of the source after the turn. */
  area: Box;
  /** Size of the result. */
  size: Size;
}

/**
 * Combines the steps.
 * @param done the steps that are done
 * @returns undefined if one of them paints, changes colours, or cuts at a place that depends on the pixels
 */
export function shownPart(done: readonly SizedStep[], header: Header): ShownPart | undefined {
  const { width, height, orientation } = header;
  let part: ShownPart = {
    ...{ turn: turnOf(orientation), whole: { width, height }, area: wholeOf(header), size: { width, height } },
  };
  for (const step of done) {
    const { definition, params, before, after } = step;
    if (!changesPixels(step)) continue;
    if (changesColours(step)) return undefined;
    const shown = definition.shownArea ? definition.shownArea(params, before, after) : wholeOf(before);
    if (!shown) return undefined;
    const turn = definition.onCoefficients?.(params, before, after)?.turn;
    part = { ...cutPart(part, shown, before), size: after };
    if (turn) part = turnPart(part, turn);
  }
  return part;
}

/** @param shown area of the result so far, which has the size `before` */
function cutPart(part: ShownPart, shown: Box, before: Size): ShownPart {
  const { area } = part;
  const [across, down] = [area.width / before.width, area.height / before.height];
  return {
    ...part,
    area: {
      ...{ x: area.x + shown.x * across, y: area.y + shown.y * down },
      ...{ width: shown.width * across, height: shown.height * down },
    },
  };
}

function turnPart({ turn: first, whole, area, size }: ShownPart, turn: Turn): ShownPart {
  const turned = turn.transposes ? { width: whole.height, height: whole.width } : whole;
  const moved = turn.transposes ? { x: area.y, y: area.x, width: area.height, height: area.width } : area;
  return {
    turn: composeTurns(first, turn),
    whole: turned,
    area: {
      ...moved,
      ...(turn.mirrorsAcross ? { x: turned.width - moved.x - moved.width } : {}),
      ...(turn.mirrorsDown ? { y: turned.height - moved.y - moved.height } : {}),
    },
    size,
  };
}

interface GainMapRequest {
  gainMap: GainMap | undefined;
  header: Header;
  /** The page that the request names. */
  page: number | undefined;
  shown: ShownPart | undefined;
  output: OutputFormat;
  params: Pick<EncodingParams, 'metadata'>;
}

/** Whether the result gets the gain map of the source, as far as that is known without reading the map. */
export const keepsGainMap = ({ gainMap, page, shown, output, params }: Omit<GainMapRequest, 'header'>): boolean =>
  gainMap?.file !== undefined &&
  shown !== undefined &&
  OUTPUTS[output].holds.gainMap === true &&
  keepsDescriptions(params.metadata) &&
  // The map belongs to the first image.
  (page ?? 1) === 1;

/**
 * Returns the map for the result; undefined if the result gets none, also because the map cannot be read. A map of the
 * whole image is only resampled if the result is smaller: its place is relative to the size of the image.
 */
export async function keptGainMap(context: WorkerContext, request: GainMapRequest): Promise<GainMap | undefined> {
  const { gainMap, shown, header, params } = request;
  if (!keepsGainMap(request) || !gainMap?.file || !shown) return undefined;
  const { turn, whole, area, size } = shown;
  const isTurned = turn.transposes || turn.mirrorsAcross || turn.mirrorsDown;
  const isWhole = !isTurned && isSameSize(area, whole) && isSameSize(size, header);
  if (isWhole && params.metadata === 'keep') return gainMap;
  try {
    const format = await formatOf(gainMap.file);
    const pixels = isWhole ? writeMetadata(format, gainMap.file, {}) : await movedMap(context, gainMap.file, shown);
    const file = pixels && describeGainMap(pixels, gainMap.file);
    return file && { ...gainMap, file };
  } catch (error) {
    // The image itself can be read.
    if (error instanceof Failure || isDecodeError(error)) return undefined;
    throw error;
  }
}

/** Larger maps are not moved: they are decoded as a whole, besides the image. */
const MAX_MAP_PIXELS = 16_000_000;
/** Errors of a map become wrong brightness. libultrahdr writes maps at this quality. */
const MAP_QUALITY = 95;

/** @throws Failure, or a libvips error, if the map cannot be decoded */
async function movedMap(context: WorkerContext, file: Uint8Array, shown: ShownPart): Promise<Uint8Array | undefined> {
  const source = await openSource(context, { bytes: file, format: await formatOf(file) });
  if (source.header.width * source.header.height > MAX_MAP_PIXELS) return undefined;
  const { frames } = await decode(context.vips, source, STORED_COLOURS);
  const map = turned(frames[0], shown.turn);
  const scale = { across: map.width / shown.whole.width, down: map.height / shown.whole.height };
  const area: Box = {
    ...{ x: shown.area.x * scale.across, y: shown.area.y * scale.down },
    ...{ width: shown.area.width * scale.across, height: shown.area.height * scale.down },
  };
  const size = {
    width: Math.max(1, Math.round(Math.min(area.width, shown.size.width * scale.across))),
    height: Math.max(1, Math.round(Math.min(area.height, shown.size.height * scale.down))),
  };
  return encodeJpeg(context, resampled(context.vips, map, area, size), { quality: MAP_QUALITY, fullChroma: true });
}

/** Turns the stored map. */
function turned(map: Image, { transposes, mirrorsAcross, mirrorsDown }: Turn): Image {
  const transposed = transposes ? map.rot90().flipHor() : map;
  const across = mirrorsAcross ? transposed.flipHor() : transposed;
  return mirrorsDown ? across.flipVer() : across;
}

/** From this scale on, interpolation between two pixels leaves none of them out. */
const MIN_INTERPOLATED_SCALE = 0.75;

/**
 * Returns an area of a map, whose edges may lie between pixels, at a size that is not larger. With a triangular kernel:
 * a sharper one would add bright and dark seams to the gain.
 */
function resampled(vips: VipsApi, map: Image, area: Box, { width, height }: Size): Image {
  const [across, down] = [width / area.width, height / area.height];
  const isSmaller = across < MIN_INTERPOLATED_SCALE || down < MIN_INTERPOLATED_SCALE;
  const scaled = isSmaller ? map.resize(across, { vscale: down, kernel: 'linear' }) : map;
  // libvips rounds the size of what it has resized.
  const start = { x: (area.x * scaled.width) / map.width, y: (area.y * scaled.height) / map.height };
  const scale = { x: (across * map.width) / scaled.width, y: (down * map.height) / scaled.height };
  // libvips counts from the middle of the first pixel.
  const offset = (factor: number, from: number) => factor * (0.5 - from) - 0.5;
  return scaled.affine([scale.x, 0, 0, scale.y], {
    ...{ odx: offset(scale.x, start.x), ody: offset(scale.y, start.y), oarea: [0, 0, width, height] },
    ...{ extend: 'copy', interpolate: vips.Interpolate.newFromName('bilinear') },
  });
}
