/**
 * Converts the samples of a file to the working space of the steps: sRGB or grey in 8 or 16 bits, or the file's own RGB
 * profile or code points when the result keeps them.
 */
import { type CodePoints, isPlain, profileOfCodePoints } from './code-points.ts';
import { ICC_FIELD, isDeep, isGrey } from './colour.ts';
import { hdrCodePointsOf, isHighDynamicRange } from './tags/icc.ts';
import { toneMap } from './tone-mapping.ts';
import { type Image, trackHandles, type VipsApi } from './vips.ts';

export interface WorkingSpace {
  image: Image;
  /** The profile that the samples are still in; undefined after conversion to sRGB. */
  icc: Uint8Array | undefined;
  /** The code points that the samples are still in. */
  codePoints?: CodePoints;
  /** Whether another colour space, for example a wider one, was converted to sRGB. */
  converted: boolean;
}

export interface ColourRequest {
  /** The result will carry the profile, so the samples may stay in it. */
  keepProfile: boolean;
  /** The same for a profile of grey samples, which fits only files with grey samples. */
  keepGreyProfile: boolean;
  /** The result will carry code points (ITU-T H.273), so the samples may stay in PQ, HLG or a wide gamut. */
  keepCodePoints: boolean;
  /** Keep more than 8 bits per sample. */
  keepDepth: boolean;
}

const profileOf = (image: Image): Uint8Array | undefined =>
  image.getTypeof(ICC_FIELD) === 0 ? undefined : Uint8Array.from(image.getBlob(ICC_FIELD));

/** libvips' names of the spaces that hold more colours than sRGB: linear light without limits, and those of the CIE. */
const WIDE_SPACES: ReadonlySet<string> = new Set(['scrgb', 'xyz', 'lab', 'labq', 'labs']);

/** Levels per channel of the test colours that show whether a profile is sRGB. */
const TEST_LEVELS = [0, 36, 73, 109, 146, 182, 219, 255];
/** Largest difference that rounding alone can cause. */
const ROUNDING = 2;

/**
 * Whether a profile is sRGB. Tests what it does to colours, because profile names lie ("Display P3 Gamut with sRGB
 * Transfer"). Most photographs carry an sRGB profile, and their samples need no conversion.
 */
function isSrgb(vips: VipsApi, icc: Uint8Array): boolean {
  const colours = Uint8Array.from(
    TEST_LEVELS.flatMap((red) => TEST_LEVELS.flatMap((green) => TEST_LEVELS.flatMap((blue) => [red, green, blue]))),
  );
  const probe = vips.Image.newFromMemory(colours, colours.length / 3, 1, 3, vips.BandFormat.uchar).copy({
    interpretation: 'srgb',
  });
  probe.setBlob(ICC_FIELD, icc);
  const seen = probe.iccTransform('srgb', { embedded: true, intent: 'perceptual' }).writeToMemory();
  return colours.every((value, index) => Math.abs(value - (seen[index] as number)) <= ROUNDING);
}

/** Returns the colour space signature of an ICC profile: bytes 16 to 19 of its header (ICC.1:2022, 7.2). */
const spaceOf = (icc: Uint8Array): string => Buffer.from(icc.subarray(16, 20)).toString('latin1');

/** A TIFF can have any number of channels behind colour and alpha, which nothing here means. */
function withoutExtraBands(image: Image): Image {
  const most = isGrey(image) ? 2 : String(image.interpretation) === 'cmyk' ? 5 : 4;
  if (image.bands <= most) return image;
  return image.extractBand(0, { n: most }).copy({ interpretation: image.interpretation });
}

/**
 * Converts a decoded image to the working space.
 *
 * Profiles are applied with the perceptual intent, which CMYK profiles are made for and which sharp uses too.
 */
export function toWorkingSpace(
  vips: VipsApi,
  source: Image,
  request: ColourRequest,
  codePoints?: CodePoints,
): WorkingSpace {
  const image = withoutExtraBands(source);
  const icc = profileOf(image);
  const named = codePoints ?? (icc && hdrCodePointsOf(icc));
  if (named && !isPlain(named)) return fromCodePoints(vips, image, request, named);
  const grey = isGrey(image);
  const deep = request.keepDepth && isDeep(image);
  const flat = (source: Image) => flattened(source, grey, deep);
  const interpretation = String(image.interpretation);

  if (interpretation === 'cmyk') {
    // Without a profile of its own, libvips converts the file with its built-in CMYK profile.
    return {
      image: image.iccTransform('srgb', { embedded: true, intent: 'perceptual', depth: deep ? 16 : 8 }),
      icc: undefined,
      converted: true,
    };
  }
  const fits = icc !== undefined && spaceOf(icc) === (grey ? 'GRAY' : 'RGB ');
  if (!fits) return { image: flat(image), icc: undefined, converted: WIDE_SPACES.has(interpretation) };
  if (grey ? request.keepGreyProfile : request.keepProfile) return { image: flat(image), icc, converted: false };
  if (!grey && isSrgb(vips, icc)) return { image: flat(image), icc: undefined, converted: false };
  const srgb = image.iccTransform('srgb', { embedded: true, intent: 'perceptual', depth: deep ? 16 : 8 });
  return { image: grey ? flat(srgb) : srgb, icc: undefined, converted: true };
}

/** What a header says about the colours of an image. */
export interface StoredColours {
  model: 'gray' | 'rgb' | 'cmyk' | 'lab';
  icc: Uint8Array | undefined;
  codePoints: CodePoints | undefined;
}

const INTERPRETATIONS = { gray: 'b-w', rgb: 'srgb', cmyk: 'cmyk', lab: 'lab' } as const;
const BANDS = { gray: 1, rgb: 3, cmyk: 4, lab: 3 } as const;

/** Whether {@link toWorkingSpace} would convert an image to sRGB. Converts one pixel. */
export function convertsColours(
  vips: VipsApi,
  { model, icc, codePoints }: StoredColours,
  request: ColourRequest,
): boolean {
  const handles = trackHandles(vips);
  try {
    const pixel = vips.Image.black(1, 1, { bands: BANDS[model] }).copy({ interpretation: INTERPRETATIONS[model] });
    if (icc) pixel.setBlob(ICC_FIELD, icc);
    return toWorkingSpace(vips, pixel, request, codePoints).converted;
  } finally {
    handles.free();
  }
}

/** Converts samples to the plain interpretation of their depth. */
function flattened(image: Image, grey: boolean, deep: boolean): Image {
  const space = grey ? (deep ? 'grey16' : 'b-w') : deep ? 'rgb16' : 'srgb';
  const isThere = String(image.interpretation) === space && !isDeep(image) && (grey || image.bands >= 3);
  return isThere ? image : image.colourspace(space);
}

/** Converts samples whose file names their space by code points, which apply instead of a profile. */
function fromCodePoints(vips: VipsApi, image: Image, request: ColourRequest, codePoints: CodePoints): WorkingSpace {
  const deep = request.keepDepth && isDeep(image);
  const bare = image.copy();
  if (bare.getTypeof(ICC_FIELD) !== 0) bare.remove(ICC_FIELD);
  if (request.keepCodePoints)
    return { image: flattened(bare, isGrey(bare), deep), icc: undefined, codePoints, converted: false };
  if (isHighDynamicRange(codePoints.transfer))
    return { image: toneMap(vips, bare, codePoints, deep), icc: undefined, converted: true };
  const icc = isGrey(bare) ? undefined : profileOfCodePoints(codePoints);
  if (icc) bare.setBlob(ICC_FIELD, icc);
  return toWorkingSpace(vips, bare, request);
}
