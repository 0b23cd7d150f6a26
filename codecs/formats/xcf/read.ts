/** Reads GIMP images: composes their visible layers, masks and groups in 8 bits. */
import { Failure } from '../../../base/failure.ts';
import { type Bitmap, checkPixels } from '../../bitmap.ts';
import { corruptImage, imageTooLarge, pageOutOfRange } from '../../errors.ts';
import type { FormatReader } from '../../format-reader.ts';
import { FORMATS } from '../registry.ts';
import { blendPixel, mixTable } from './blend.ts';
import { BASE, type Layer, readXcf, type Xcf } from './structure.ts';
import { TILE, tilePointers, unpackTile } from './tiles.ts';

/** Maximum number of painted pixels, because any number of layers may overlap. */
const MAX_PAINTED_PIXELS = 1_000_000_000;
/** Maximum depth of groups. Each needs a separate canvas. */
const MAX_GROUP_DEPTH = 6;
/** The canvas and the mask. */
const GROUP_BYTES_PER_PIXEL = 5;
const PASS_THROUGH = 61;

export const reader: FormatReader = {
  probe(bytes, { page }) {
    const { width, height, layers, precision } = readXcf(bytes);
    if (page > 1) throw pageOutOfRange(page, 1);
    const groups = Math.min(MAX_GROUP_DEPTH, Math.max(0, ...layers.map(({ path }) => (path?.length ?? 1) - 1)));
    const workingBytes = width * height * GROUP_BYTES_PER_PIXEL * groups;
    return { width, height, pages: 1, depth: 8, storedDepth: 8 * precision.bytes, hasAlpha: true, workingBytes };
  },
  decode(bytes, { page, maxPixels }) {
    if (page > 1) throw pageOutOfRange(page, 1);
    const xcf = readXcf(bytes);
    checkPixels(xcf, maxPixels);
    return { bitmap: flatten(xcf) };
  },
};

interface Painting {
  xcf: Xcf;
  painted: number;
  damaged: boolean;
}

function flatten(xcf: Xcf): Bitmap {
  const { width, height, icc, density, layers } = xcf;
  const painting = { xcf, painted: 0, damaged: false };
  const data = new Uint8Array(width * height * 4);
  const top = layers.filter(({ path }) => path === undefined || path.length <= 1);
  paintAll(painting, top, data, 1);
  if (painting.damaged && painting.painted === 0) throw corruptImage(FORMATS.xcf.name);
  return { data, width, height, channels: 4, icc, density, ...(painting.damaged ? { truncated: true } : {}) };
}

/** Paints the layers from the lowest up. */
function paintAll(painting: Painting, layers: readonly Layer[], canvas: Uint8Array, depth: number): void {
  for (const layer of layers.toReversed()) {
    if (!layer.visible) continue;
    if (layer.group && layer.path) paintGroup(painting, layer, layer.path, canvas, depth);
    else skipDamagedPart(painting, () => paintLayer(painting, layer, canvas));
  }
}

function skipDamagedPart(painting: Painting, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof Failure && error.code === 'corrupt_image')) throw error;
    painting.damaged = true;
  }
}

function paintGroup(
  painting: Painting,
  group: Layer,
  path: readonly number[],
  canvas: Uint8Array,
  depth: number,
): void {
  if (depth > MAX_GROUP_DEPTH) return;
  const { layers, width, height } = painting.xcf;
  const children = layers.filter(
    (layer) =>
      layer.path?.length === path.length + 1 && path.every((position, index) => layer.path![index] === position),
  );
  if (group.mode === PASS_THROUGH && group.opacity === 1 && group.mask === undefined) {
    paintAll(painting, children, canvas, depth + 1);
    return;
  }
  spend(painting, width * height);
  const own = new Uint8Array(canvas.length);
  paintAll(painting, children, own, depth + 1);
  const masks = group.mask === undefined ? undefined : wholeMask(painting, group);
  const table = mixTable(group.mode);
  for (let pixel = 0, at = 0; at < own.length; pixel++, at += 4) {
    const cover = ((own[at + 3]! * (masks?.[pixel] ?? 255)) / 65_025) * group.opacity;
    blendPixel(canvas, at, own, at, cover, table);
  }
}

function spend(painting: Painting, pixels: number): void {
  painting.painted += pixels;
  if (painting.painted > MAX_PAINTED_PIXELS) throw imageTooLarge(`${MAX_PAINTED_PIXELS} pixels in all layers`, 'more');
}

/** Unpacks the mask of a group at the size of the canvas; outside of the mask nothing is visible. */
function wholeMask(painting: Painting, group: Layer): Uint8Array {
  const { width, height } = painting.xcf;
  const mask = new Uint8Array(width * height);
  skipDamagedPart(painting, () =>
    eachTile(painting, group, [{ hierarchy: group.mask!, channels: 1, hasAlpha: false }], ([tile], part) => {
      eachPixel(part, (from, pixel) => {
        mask[pixel] = tile![from]!;
      });
    }),
  );
  return mask;
}

function paintLayer(painting: Painting, layer: Layer, canvas: Uint8Array): void {
  const { xcf } = painting;
  const { channels, hasAlpha, opacity } = layer;
  const table = mixTable(layer.mode);
  const planes = [{ hierarchy: layer.hierarchy, channels, hasAlpha }];
  if (layer.mask !== undefined) planes.push({ hierarchy: layer.mask, channels: 1, hasAlpha: false });
  const colour = new Uint8Array(3);
  eachTile(painting, layer, planes, ([tile, mask], part) => {
    eachPixel(part, (from, pixel) => {
      const at = from * channels;
      const alpha = hasAlpha ? tile![at + channels - 1]! : 255;
      const cover = ((alpha * (mask?.[from] ?? 255)) / 65_025) * opacity;
      if (cover <= 0) return;
      for (let channel = 0; channel < 3; channel++) {
        const value = tile![channels >= 3 ? at + channel : at]!;
        colour[channel] = xcf.base === BASE.indexed ? (xcf.colours[value * 3 + channel] ?? 0) : value;
      }
      blendPixel(canvas, pixel * 4, colour, 0, cover, table);
    });
  });
}

/** The part of a tile that lies on the canvas. */
interface Part {
  /** Width of the tile. */
  width: number;
  /** Range within the tile. */
  x: [from: number, to: number];
  y: [from: number, to: number];
  /** Position of the tile on the canvas. */
  left: number;
  top: number;
  canvasWidth: number;
}

type Plane = Pick<Layer, 'hierarchy' | 'channels' | 'hasAlpha'>;

function eachTile(
  painting: Painting,
  layer: Layer,
  planes: readonly Plane[],
  use: (tiles: Uint8Array[], part: Part) => void,
): void {
  const { xcf } = painting;
  const pointers = planes.map(({ hierarchy }) => tilePointers(xcf, hierarchy));
  const across = Math.ceil(layer.width / TILE);
  const tiles = Math.min(across * Math.ceil(layer.height / TILE), ...pointers.map((list) => list.length));
  for (let tile = 0; tile < tiles; tile++) {
    const column = (tile % across) * TILE;
    const row = Math.floor(tile / across) * TILE;
    const [width, height] = [Math.min(TILE, layer.width - column), Math.min(TILE, layer.height - row)];
    const [left, top] = [layer.left + column, layer.top + row];
    const part: Part = {
      width,
      x: [Math.max(0, -left), Math.min(width, xcf.width - left)],
      y: [Math.max(0, -top), Math.min(height, xcf.height - top)],
      left,
      top,
      canvasWidth: xcf.width,
    };
    if (part.x[0] >= part.x[1] || part.y[0] >= part.y[1]) continue;
    spend(painting, width * height);
    skipDamagedPart(painting, () => {
      const unpacked = planes.map(({ channels, hasAlpha }, plane) =>
        unpackTile(xcf, pointers[plane]![tile]!, width * height, channels, hasAlpha),
      );
      use(unpacked, part);
    });
  }
}

/** Calls `use` with the positions in the tile and on the canvas. */
function eachPixel({ width, x, y, left, top, canvasWidth }: Part, use: (from: number, pixel: number) => void): void {
  for (let row = y[0]; row < y[1]; row++) {
    const line = (top + row) * canvasWidth + left;
    for (let column = x[0]; column < x[1]; column++) use(row * width + column, line + column);
  }
}
