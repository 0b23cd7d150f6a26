/** Transfer syntaxes (DICOM PS3.5, section 10 and annex A; names of PS3.6, table A-1). Safe on the main thread. */

/** How the pixels of a frame are coded. JPEG, JPEG-LS, JPEG 2000 and JPEG XL are recognised by their first bytes. */
export type Coding = 'native' | 'deflated frames' | 'rle' | 'image' | 'none';

export interface TransferSyntax {
  name: string;
  littleEndian: boolean;
  explicit: boolean;
  /** Whether the data set is one raw deflate stream. */
  deflated: boolean;
  coding: Coding;
  /** Whether decoding returns exactly the encoded samples. */
  lossless: boolean;
}

const UIDS = '1.2.840.10008.1.2';

const LITTLE_ENDIAN = { littleEndian: true, explicit: true, deflated: false, lossless: true };
const native = (name: string): TransferSyntax => ({ ...LITTLE_ENDIAN, name, coding: 'native' });
const lossless = (name: string): TransferSyntax => ({ ...LITTLE_ENDIAN, name, coding: 'image' });
const lossy = (name: string): TransferSyntax => ({ ...lossless(name), lossless: false });
/** A known syntax that is not supported. */
const unsupported = (name: string): TransferSyntax => ({ ...LITTLE_ENDIAN, name, coding: 'none' });

const SYNTAXES: Readonly<Record<string, TransferSyntax>> = {
  '': { ...native('Implicit VR Little Endian'), explicit: false },
  '.1': native('Explicit VR Little Endian'),
  '.1.98': native('Encapsulated Uncompressed Explicit VR Little Endian'),
  '.1.99': { ...native('Deflated Explicit VR Little Endian'), deflated: true },
  '.2': { ...native('Explicit VR Big Endian'), littleEndian: false },
  '.4.50': lossy('JPEG Baseline (Process 1)'),
  '.4.51': lossy('JPEG Extended (Process 2 and 4)'),
  '.4.53': lossy('JPEG Spectral Selection (Process 6 and 8)'),
  '.4.55': lossy('JPEG Full Progression (Process 10 and 12)'),
  '.4.57': lossless('JPEG Lossless (Process 14)'),
  '.4.70': lossless('JPEG Lossless (Process 14, Selection Value 1)'),
  '.4.80': lossless('JPEG-LS Lossless'),
  '.4.81': lossy('JPEG-LS Near-Lossless'),
  '.4.90': lossless('JPEG 2000 Lossless'),
  '.4.91': lossy('JPEG 2000'),
  '.4.92': unsupported('JPEG 2000 Part 2 Multi-component Lossless'),
  '.4.93': unsupported('JPEG 2000 Part 2 Multi-component'),
  '.4.94': unsupported('JPIP Referenced'),
  '.4.95': unsupported('JPIP Referenced Deflate'),
  '.4.100': unsupported('MPEG-2 Main Profile / Main Level'),
  '.4.100.1': unsupported('MPEG-2 Main Profile / Main Level'),
  '.4.101': unsupported('MPEG-2 Main Profile / High Level'),
  '.4.101.1': unsupported('MPEG-2 Main Profile / High Level'),
  '.4.102': unsupported('MPEG-4 AVC/H.264'),
  '.4.102.1': unsupported('MPEG-4 AVC/H.264'),
  '.4.103': unsupported('MPEG-4 AVC/H.264'),
  '.4.103.1': unsupported('MPEG-4 AVC/H.264'),
  '.4.104': unsupported('MPEG-4 AVC/H.264'),
  '.4.104.1': unsupported('MPEG-4 AVC/H.264'),
  '.4.105': unsupported('MPEG-4 AVC/H.264'),
  '.4.105.1': unsupported('MPEG-4 AVC/H.264'),
  '.4.106': unsupported('MPEG-4 AVC/H.264 Stereo'),
  '.4.106.1': unsupported('MPEG-4 AVC/H.264 Stereo'),
  '.4.107': unsupported('HEVC/H.265'),
  '.4.108': unsupported('HEVC/H.265'),
  '.4.110': lossless('JPEG XL Lossless'),
  '.4.111': lossy('JPEG XL JPEG Recompression'),
  '.4.112': lossy('JPEG XL'),
  '.4.201': lossless('High-Throughput JPEG 2000 Lossless'),
  '.4.202': lossless('High-Throughput JPEG 2000 with RPCL Options Lossless'),
  '.4.203': lossy('High-Throughput JPEG 2000'),
  '.4.204': unsupported('JPIP HTJ2K Referenced'),
  '.4.205': unsupported('JPIP HTJ2K Referenced Deflate'),
  '.5': { ...LITTLE_ENDIAN, name: 'RLE Lossless', coding: 'rle' },
  '.8.1': { ...LITTLE_ENDIAN, name: 'Deflated Image Frame Compression', coding: 'deflated frames' },
};

/** The default of DICOM for files that name no syntax (PS3.5, section 10.1). */
export const DEFAULT_SYNTAX = SYNTAXES['']!;
export const BIG_ENDIAN_SYNTAX = SYNTAXES['.2']!;

/** Looks up a syntax. An unknown one has its UID as name and no coding. */
export function findTransferSyntax(uid: string): TransferSyntax {
  const known = uid.startsWith(UIDS) && SYNTAXES[uid.slice(UIDS.length)];
  return known || unsupported(/^[\d.]{1,64}$/.test(uid) ? uid : 'of an unknown name');
}
