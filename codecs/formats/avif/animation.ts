/** Reads AVIF image sequences, and writes those whose frames are coded each on their own. */
import type { Animation } from '../../animation-source.ts';
import { hasAlpha } from '../../colour.ts';
import type { DecodedPixels, Timing } from '../../decoded-image.ts';
import { corruptImage } from '../../errors.ts';
import { type CodedTrack, type ImageSequence, readSequence } from '../../heif/sequence.ts';
import { sequenceFile } from '../../heif/sequence-file.ts';
import { stillFile } from '../../heif/still-file.ts';
import { factsOf } from '../../image-header.ts';
import { metaOf } from '../../metadata/avif.ts';
import { type Item, type ItemMeta, parseMeta, propertyType } from '../../metadata/avif-items.ts';
import { Reader } from '../../metadata/bytes.ts';
import { presentBoxes } from '../../metadata/isobmff.ts';
import { vipsMessage } from '../../source.ts';
import { type Image, trackHandles, type VipsApi } from '../../vips.ts';
import { inFullRange } from './deep.ts';
import { referringAnimation } from './referring-frames.ts';

/** The planes of a frame, and the frame itself with 16 bits. */
const WORKING_BYTES_PER_PIXEL = 16;

/** Undefined for a file without a sequence. */
export function avifAnimation(bytes: Uint8Array): Animation | undefined {
  const sequence = readSequence(bytes);
  if (!sequence || sequence.delays.length < 2) return undefined;
  return sequence.isIntra ? intraAnimation(sequence) : referringAnimation(bytes, sequence);
}

function intraAnimation(sequence: ImageSequence): Animation {
  return {
    timing: { delays: sequence.delays, loop: sequence.plays },
    endsEarly: sequence.endsEarly,
    workingBytesPerPixel: WORKING_BYTES_PER_PIXEL,
    readFacts({ vips }) {
      const handles = trackHandles(vips);
      try {
        return factsOf(openFrame(vips, sequence, 0));
      } catch (error) {
        throw corruptImage('AVIF', vipsMessage(error));
      } finally {
        handles.free();
      }
    },
    decode: ({ vips }, { first, count }) => decodeFrames(vips, sequence, first, count),
  };
}

function openFrame(vips: VipsApi, { width, height, colour, alpha }: ImageSequence, index: number): Image {
  const coded = ({ configuration, samples }: CodedTrack) => ({ configuration, data: samples[index]! });
  const file = stillFile({
    ...{ width, height },
    colour: { ...coded(colour), colours: colour.colours },
    alpha: alpha && coded(alpha),
  });
  return inFullRange(vips.Image.heifloadBuffer(file, { unlimited: true, access: 'sequential' }));
}

/** @throws a libvips error for a frame that cannot be decoded, or that is not like the first */
function decodeFrames(vips: VipsApi, sequence: ImageSequence, first: number, count: number): DecodedPixels {
  let data = new Uint8Array();
  let layout = { width: 0, height: 0, bands: 0 };
  let depth: 8 | 16 = 8;
  for (let index = 0; index < count; index += 1) {
    const handles = trackHandles(vips);
    const image = openFrame(vips, sequence, first + index);
    const { buffer, byteOffset, byteLength, BYTES_PER_ELEMENT } = image.writeToMemory();
    if (index === 0) {
      data = new Uint8Array(byteLength * count);
      layout = { width: image.width, height: image.height, bands: image.bands };
      depth = BYTES_PER_ELEMENT === 2 ? 16 : 8;
    }
    if (byteLength * count !== data.length) throw corruptImage('AVIF', 'frames of different sizes');
    data.set(new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength), index * byteLength);
    handles.free();
  }
  return { ...layout, data, height: layout.height * count, depth };
}

/** Encodes one frame as a file. */
export type EncodeFrame = (frame: Image, chroma: 'full' | 'half' | undefined) => Uint8Array | Promise<Uint8Array>;

interface CodedFrame {
  colour: CodedTrack;
  alpha: CodedTrack | undefined;
}

/**
 * Encodes a sequence. Every frame has the chroma resolution of the first, because one configuration holds for all.
 * @param column the frames, stacked vertically
 */
export async function encodeSequence(column: Image, timing: Timing, encodeFrame: EncodeFrame): Promise<Uint8Array> {
  const count = timing.delays.length;
  const { width } = column;
  const height = column.height / count;
  const frames: CodedFrame[] = [];
  for (let index = 0; index < count; index += 1) {
    const frame = column.crop(0, index * height, width, height);
    const chroma = frames[0] && chromaOf(frames[0].colour);
    frames.push(codedFrame(await encodeFrame(frame, chroma)));
  }
  const hasAlphaTrack = hasAlpha(column) && frames.some(({ alpha }) => alpha);
  if (hasAlphaTrack) {
    for (const [index, frame] of frames.entries()) {
      if (frame.alpha) continue;
      const image = column.crop(0, index * height, width, height);
      frames[index] = codedFrame(await encodeFrame(almostOpaque(image), chromaOf(frames[0]!.colour)));
    }
  }
  return sequenceFile({
    ...{ width, height, timing },
    colour: joined(frames.map(({ colour }) => colour)),
    alpha: hasAlphaTrack ? joined(frames.flatMap(({ alpha }) => alpha ?? [])) : undefined,
  });
}

const joined = (tracks: readonly CodedTrack[]): CodedTrack => ({
  ...tracks[0]!,
  samples: tracks.flatMap(({ samples }) => samples),
});

/** Whether both chroma planes are half as wide is bit 3 of the third byte of `av1C` (AV1-ISOBMFF, section 2.3.3). */
const chromaOf = ({ configuration }: CodedTrack): 'full' | 'half' => ((configuration[10]! & 8) === 0 ? 'full' : 'half');

/** The encoder omits alpha that is opaque everywhere, so one pixel gets the next lower value. */
function almostOpaque(image: Image): Image {
  const copy = image.copyMemory();
  const colour = copy.getpoint(0, 0);
  colour[colour.length - 1]! -= 1;
  copy.drawRect(colour, 0, 0, 1, 1);
  return copy;
}

/** Returns the coded data of the images in a file. */
function codedFrame(file: Uint8Array): CodedFrame {
  const reader = new Reader(file, 'avif');
  const meta = parseMeta(reader, metaOf(reader, presentBoxes(reader)));
  const coded = meta.items.filter(({ type }) => type === 'av01');
  const colour = coded.find(({ id }) => id === meta.primary);
  if (!colour) throw corruptImage('AVIF', 'no primary image');
  const alpha = coded.find(({ id }) => id !== meta.primary);
  return { colour: trackOf(reader, meta, colour), alpha: alpha && trackOf(reader, meta, alpha) };
}

function trackOf(reader: Reader, { associations }: ItemMeta, { id, extents }: Item): CodedTrack {
  const properties = (associations.get(id) ?? []).map(({ property }) => property);
  const [extent] = extents;
  const configuration = properties.find((property) => propertyType(property) === 'av1C');
  if (!extent || !configuration) throw corruptImage('AVIF', 'no coded image');
  return {
    configuration,
    colours: properties.filter((property) => propertyType(property) === 'colr'),
    samples: [reader.slice(extent.offset, extent.length)],
  };
}
