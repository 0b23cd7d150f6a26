/** Findings about the content of an image file. */
import { findFormat } from '../../../codecs/formats/registry.ts';
import { bytesText, isFetched, type Rule, timesText } from './finding.ts';

const MAX_METADATA_BYTES = 10_240;
const MAX_METADATA_PERCENT = 5;
/** Below this similarity a converted image differs visibly from the original (docs/spec/shapes.md, section 16.4). */
export const MIN_SIMILARITY = 0.97;

const corrupt: Rule = ({ asset, facts }) => {
  const isUndecodable = asset.status === 'failed' && asset.errorCode === 'corrupt_image';
  if (!isUndecodable && !facts?.damaged) return undefined;
  return {
    code: 'corrupt',
    message: isUndecodable ? 'The image cannot be decoded.' : 'A part of the image cannot be decoded.',
  };
};

const gpsMetadata: Rule = (view) => {
  if (!isFetched(view) || !view.facts?.gps) return undefined;
  const { exifBytes, xmpBytes, iptcBytes } = view.facts;
  return {
    code: 'gps_metadata',
    message: 'The file tells everybody where the image was taken.',
    savingsBytes: exifBytes + xmpBytes + iptcBytes,
  };
};

const heavyMetadata: Rule = (view) => {
  if (!isFetched(view) || !view.facts) return undefined;
  const { exifBytes, xmpBytes, iccBytes } = view.facts;
  const metadata = exifBytes + xmpBytes + iccBytes;
  if (metadata <= MAX_METADATA_BYTES || metadata * 100 <= view.asset.bytes! * MAX_METADATA_PERCENT) return undefined;
  return {
    code: 'heavy_metadata',
    message: `${bytesText(metadata)} of the file are metadata.`,
    savingsBytes: metadata,
    data: { exif_bytes: exifBytes, xmp_bytes: xmpBytes, icc_bytes: iccBytes },
  };
};

const cmyk: Rule = (view) =>
  isFetched(view) && findFormat(view.asset.format)?.jpegStream && view.facts?.cmyk
    ? { code: 'cmyk', message: 'A JPEG in CMYK, the colours of print: browsers show it in other colours.' }
    : undefined;

const duplicate: Rule = (view) => {
  const { duplicateOf, bytes } = view.asset;
  if (!isFetched(view) || duplicateOf === null) return undefined;
  return {
    code: 'duplicate',
    message: 'The same file is there under another address: visitors load it twice.',
    savingsBytes: bytes!,
    data: { duplicate_of: duplicateOf },
  };
};

const nearDuplicate: Rule = ({ nearDuplicates }) =>
  nearDuplicates.length > 0
    ? {
        code: 'near_duplicate',
        message: `The same image is there in ${timesText(nearDuplicates.length, 'other size')}.`,
        data: { assets: nearDuplicates },
      }
    : undefined;

const lowSimilarity: Rule = ({ asset: { output } }) =>
  output?.similarity != null && output.similarity < MIN_SIMILARITY
    ? {
        code: 'low_similarity',
        message: 'The converted image does not look quite like the original: look at it before you approve it.',
        data: { similarity: output.similarity },
      }
    : undefined;

export const contentRules: readonly Rule[] = [
  corrupt,
  gpsMetadata,
  heavyMetadata,
  cmyk,
  duplicate,
  nearDuplicate,
  lowSimilarity,
];
