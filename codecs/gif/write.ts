/** Encodes animations and still images as GIF89a. */
import { ByteWriter } from '../byte-writer.ts';
import { areaOf, difference, type Rectangle } from '../rectangle.ts';
import { centiseconds, MAX_DELAY_CS } from './delays.ts';
import { chooseDisposal, DISPOSAL, type Disposal } from './disposal.ts';
import { type AnimationFrames, CLEAR } from './frames.ts';
import { type EncodedImage, ImageEncoder } from './image.ts';
import { type Palette, tableBits, tableBytes } from './palette.ts';
import { type ColourOptions, type ColourPlan, planColours } from './plan.ts';
import { isSuspectScreenSize } from './screen.ts';

export type { AnimationFrames } from './frames.ts';
export type { Dither } from './plan.ts';

export interface GifWriteOptions extends ColourOptions {
  /** Whether frames equal to the previous one add their time to it instead of being written. Default false. */
  mergeDuplicates?: boolean;
  /** How far pixels may differ where that takes fewer bytes, 0 to 200 as `--lossy` of gifsicle. Default 0: not at all. */
  lossy?: number;
}

const INTRODUCER = { extension: 0x21, image: 0x2c, trailer: 0x3b } as const;
const LABEL = { control: 0xf9, application: 0xff } as const;
/** Maximum file size for which half a colour table makes a difference. */
const SMALL = 16_384;
/** A frame without changes still needs an image. */
const ONE_PIXEL: Rectangle = { left: 0, top: 0, right: 1, bottom: 1 };

const u16 = (value: number) => [value & 0xff, value >>> 8];

/** Encodes composed frames. Pixels that are equal in consecutive frames stay equal in the file. */
export function writeGif(frames: AnimationFrames, options: GifWriteOptions): Uint8Array {
  const plan = planColours(frames, options);
  const file = encode(frames, plan, plan.palette, options);
  if (!plan.smaller || file.length > SMALL) return file;
  const other = encode(frames, plan, plan.smaller, options);
  return other.length < file.length ? other : file;
}

function encode(
  frames: AnimationFrames,
  plan: ColourPlan,
  palette: Palette,
  { mergeDuplicates = false, lossy = 0 }: GifWriteOptions,
): Uint8Array {
  const { width, height, delays, loop } = frames;
  const animated = delays.length > 1;
  const file = new FileWriter(width, height, palette, animated);
  if (animated && loop !== null && loop !== 1) file.loop(loop);

  const area = width * height;
  const encoder = new ImageEncoder(palette, plan.limit, area, lossy);
  const times = centiseconds(delays);
  let base = new Uint32Array(area);
  let target = new Uint32Array(area);
  let next = new Uint32Array(animated ? area : 0);
  plan.show(0, base, target);
  let rectangle = firstRectangle(difference(base, target, width) ?? ONE_PIXEL, width, height);
  let time = times[0] as number;
  let first = true;

  const write = (disposal: Disposal) => {
    // Some decoders fill cleared or uncovered areas with the background colour unless the image has a transparent
    // index.
    const uncovers = disposal === DISPOSAL.background || (first && areaOf(rectangle) < area);
    file.image(encoder.encode({ base, target, width }, rectangle, uncovers), time, disposal);
  };

  for (let index = 1; index < delays.length; index += 1) {
    plan.show(index, target, next);
    const following = times[index] as number;
    if (mergeDuplicates && time + following <= MAX_DELAY_CS && !difference(target, next, width)) {
      time += following;
      continue;
    }
    const choice = chooseDisposal({ base, target, rectangle, first }, next, width);
    rectangle = choice.rectangle;
    write(choice.disposal);
    if (choice.disposal === DISPOSAL.previous) [target, next] = [next, target];
    else {
      if (choice.disposal === DISPOSAL.background) clear(target, rectangle, width);
      [base, target, next] = [target, next, base];
    }
    rectangle = difference(base, target, width) ?? ONE_PIXEL;
    time = following;
    first = false;
  }
  write(DISPOSAL.none);
  return file.finish();
}

/** Extends the first image to the corner of a screen that libvips would otherwise take for smaller. */
const firstRectangle = (drawn: Rectangle, width: number, height: number): Rectangle =>
  isSuspectScreenSize(width, height) ? { ...drawn, right: width, bottom: height } : drawn;

function clear(colours: Uint32Array, { left, top, right, bottom }: Rectangle, width: number): void {
  for (let y = top; y < bottom; y += 1) colours.fill(CLEAR, y * width + left, y * width + right);
}

/** Writes the blocks of the file. */
class FileWriter {
  readonly #file = new ByteWriter();
  readonly #animated: boolean;

  constructor(width: number, height: number, palette: Palette, animated: boolean) {
    this.#animated = animated;
    const hasTable = palette.colours.length > 0;
    const depth = hasTable ? tableBits(palette.colours.length) - 1 : 0;
    const background = Math.max(palette.transparent, 0);
    this.#file
      .text('GIF89a')
      .u8(...u16(width), ...u16(height), (hasTable ? 0x80 : 0) | (depth << 4) | depth, background, 0);
    if (hasTable) this.#file.bytes(tableBytes(palette));
  }

  /**
   * The file stores how often the animation is repeated after it has played once, as all browsers read it: "the
   * animation plays n + 1 cycles" (Chromium, cc/paint/image_animation_count.h). libvips reads it the same way.
   * @param plays number of plays; 0 is without end
   */
  loop(plays: number): void {
    this.#file
      .u8(INTRODUCER.extension, LABEL.application, 11)
      .text('NETSCAPE2.0')
      .u8(3, 1, ...u16(Math.max(plays - 1, 0)), 0);
  }

  image({ rectangle, local, transparent, data }: EncodedImage, time: number, disposal: Disposal): void {
    const hasClear = transparent >= 0;
    if (this.#animated || hasClear) {
      const packed = (disposal << 2) | (hasClear ? 1 : 0);
      const delay = this.#animated ? time : 0;
      this.#file.u8(INTRODUCER.extension, LABEL.control, 4, packed, ...u16(delay), hasClear ? transparent : 0, 0);
    }
    const { left, top, right, bottom } = rectangle;
    this.#file.u8(INTRODUCER.image, ...u16(left), ...u16(top), ...u16(right - left), ...u16(bottom - top));
    this.#file.u8(local ? 0x80 | (tableBits(local.colours.length) - 1) : 0);
    if (local) this.#file.bytes(tableBytes(local));
    this.#file.bytes(data);
  }

  finish(): Uint8Array {
    return this.#file.u8(INTRODUCER.trailer).finish();
  }
}
