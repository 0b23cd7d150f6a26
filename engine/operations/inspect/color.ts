/** The colour space and sample format of the image, and how it is encoded. */

import type { Header } from '../../../codecs/decoded-image.ts';
import type { ColourFacts, FileFacts } from '../../../codecs/facts/facts.ts';
import { type ProfileFacts, readProfile } from '../../../codecs/tags/icc.ts';
import type { PixelFacts } from './pixels.ts';
import type { InspectionRecord } from './record.ts';
import { firstNumber, firstText, type TagSets } from './tags.ts';

type Color = InspectionRecord['color'];

/** How EXIF marks Adobe RGB (DCF 2.0): an uncalibrated colour space with the rule R03. */
const UNCALIBRATED = 65_535;
const ADOBE_RULE = 'R03';
const BITS_PER_BYTE = 8;
const GRAY_CHANNELS = 2;

export function describeColor(
  header: Header,
  { colour = {}, blocks }: FileFacts,
  tags: TagSets,
  pixels: PixelFacts | undefined,
): Color {
  const profile = blocks.icc && readProfile(blocks.icc);
  const channels =
    colour.channels ?? pixels?.channels ?? Math.round(header.bytesPerPixel / (header.depth / BITS_PER_BYTE));
  return {
    space: spaceOf(colour, profile, tags, pixels),
    channels,
    bit_depth: colour.bitDepth ?? header.storedDepth,
    has_alpha: header.hasAlpha,
    transparent: pixels?.transparent ?? null,
    palette_colors: colour.paletteColors ?? null,
    icc_profile: profile?.description ?? null,
    hdr: colour.hdr === true || profile?.hdr === true,
  };
}

/** The samples decide between grey, CMYK, Lab and RGB. The RGB space is that of the profile, otherwise of the file. */
function spaceOf(
  colour: ColourFacts,
  profile: ProfileFacts | undefined,
  tags: TagSets,
  pixels: PixelFacts | undefined,
): Color['space'] {
  const model = colour.model ?? (pixels && (pixels.channels <= GRAY_CHANNELS ? 'gray' : 'rgb'));
  if (model !== 'rgb') return model ?? 'unknown';
  if (profile) return profile.space;
  if (colour.space) return colour.space;
  if (colour.profileInside) return 'unknown';
  const adobe =
    firstNumber(tags.exif, 'ColorSpace') === UNCALIBRATED && firstText(tags.exif, 'InteropIndex') === ADOBE_RULE;
  return adobe ? 'adobe_rgb' : 'srgb';
}

export function describeEncoding({ coding = {} }: FileFacts): InspectionRecord['encoding'] {
  return {
    progressive: coding.progressive ?? null,
    lossless: coding.lossless ?? null,
    chroma_subsampling: coding.chromaSubsampling ?? null,
    quality_estimate: coding.quality ?? null,
    compression: coding.compression ?? null,
  };
}
