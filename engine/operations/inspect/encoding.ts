/** How the image is encoded. */
import type { FileFacts } from '../../../codecs/facts/facts.ts';
import type { InspectionRecord } from './record.ts';

export function describeEncoding({ coding = {} }: FileFacts): InspectionRecord['encoding'] {
  return {
    progressive: coding.progressive ?? null,
    lossless: coding.lossless ?? null,
    chroma_subsampling: coding.chromaSubsampling ?? null,
    quality_estimate: coding.quality ?? null,
    compression: coding.compression ?? null,
  };
}
