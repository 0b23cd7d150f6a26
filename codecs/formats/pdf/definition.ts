import { packetFacts } from '../../facts/packet.ts';
import { jpegEncodingBytes } from '../../jpeg/memory.ts';
import { bufferOf } from '../../metadata/bytes.ts';
import { head } from '../../signature.ts';
import { EIGHT_BIT_DEPTH, type Format, NO_METADATA } from '../format.ts';

/**
 * Readers look for the start within this many bytes, because mail gateways and printers add lines before it (PDF 1.7,
 * annex H, note 13).
 */
const PDF_HEADER_WITHIN = 1024;

/** Key of the trailer for the title, the author and so on (ISO 32000-1, 14.3.3). */
const INFORMATION = '/Info';

export const pdf = {
  name: 'PDF',
  extensions: ['pdf'],
  contentTypes: ['application/pdf'],
  pages: true,
  note: '150 dpi, or the size asked for',
  signature: { rank: 'last', matches: (bytes) => head(bytes, PDF_HEADER_WITHIN).includes('%PDF-') },
  needs: ['@hyzyla/pdfium'],
  readFacts: (bytes) => ({ ...packetFacts(bytes), ownMetadata: bufferOf(bytes).includes(INFORMATION) }),
  output: {
    lossless: false,
    lossy: true,
    alpha: false,
    animation: 'none',
    pages: true,
    document: true,
    depth: EIGHT_BIT_DEPTH,
    holds: { ...NO_METADATA, density: true },
    maxSide: 65_500,
    encodingBytes: jpegEncodingBytes,
    wraps: 'jpeg',
  },
} as const satisfies Format;
