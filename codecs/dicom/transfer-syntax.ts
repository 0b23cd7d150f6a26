/** Transfer syntaxes (DICOM PS3.5, section 10 and annex A; names of PS3.6, table A-1). Safe on the main thread. */

/** How the pixels of a frame are coded. JPEG, JPEG-LS, JPEG 2000 and JPEG XL tell themselves apart by their first bytes. */
export type Coding = 'native' | 'deflated frames' | 'rle' | 'image' | 'none';

export interface TransferSyntax {
  name: string;
  littleEndian: boolean;
  explicit: boolean;
  /** The data set is one raw stream of deflate. */
  deflated: boolean;
  coding: Coding;
}

const UIDS = '1.2.840.10008.1.2';

const LITTLE_ENDIAN = { littleEndian: true, explicit: true, deflated: false };
const native = (name: string): TransferSyntax => ({ ...LITTLE_ENDIAN, name, coding: 'native' });
const image = (name: string): TransferSyntax => ({ ...LITTLE_ENDIAN, name, coding: 'image' });
/** Known, but not read. */
const unread = (name: string): TransferSyntax => ({ ...LITTLE_ENDIAN, name, coding: 'none' });

const SYNTAXES: Readonly<Record<string, TransferSyntax>> = {
  '': { ...native('Implicit VR Little Endian'), explicit: false },
  '.1': native('Explicit VR Little Endian'),
  '.1.98': native('Encapsulated Uncompressed Explicit VR Little Endian'),
  '.1.99': { ...native('Deflated Explicit VR Little Endian'), deflated: true },
  '.2': { ...native('Explicit VR Big Endian'), littleEndian: false },
  '.4.50': image('JPEG Baseline (Process 1)'),
  '.4.51': image('JPEG Extended (Process 2 and 4)'),
  '.4.53': image('JPEG Spectral Selection (Process 6 and 8)'),
  '.4.55': image('JPEG Full Progression (Process 10 and 12)'),
  '.4.57': image('JPEG Lossless (Process 14)'),
  '.4.70': image('JPEG Lossless (Process 14, Selection Value 1)'),
  '.4.80': image('JPEG-LS Lossless'),
  '.4.81': image('JPEG-LS Near-Lossless'),
  '.4.90': image('JPEG 2000 Lossless'),
  '.4.91': image('JPEG 2000'),
  '.4.92': unread('JPEG 2000 Part 2 Multi-component Lossless'),
  '.4.93': unread('JPEG 2000 Part 2 Multi-component'),
  '.4.94': unread('JPIP Referenced'),
  '.4.95': unread('JPIP Referenced Deflate'),
  '.4.100': unread('MPEG-2 Main Profile / Main Level'),
  '.4.100.1': unread('MPEG-2 Main Profile / Main Level'),
  '.4.101': unread('MPEG-2 Main Profile / High Level'),
  '.4.101.1': unread('MPEG-2 Main Profile / High Level'),
  '.4.102': unread('MPEG-4 AVC/H.264'),
  '.4.102.1': unread('MPEG-4 AVC/H.264'),
  '.4.103': unread('MPEG-4 AVC/H.264'),
  '.4.103.1': unread('MPEG-4 AVC/H.264'),
  '.4.104': unread('MPEG-4 AVC/H.264'),
  '.4.104.1': unread('MPEG-4 AVC/H.264'),
  '.4.105': unread('MPEG-4 AVC/H.264'),
  '.4.105.1': unread('MPEG-4 AVC/H.264'),
  '.4.106': unread('MPEG-4 AVC/H.264 Stereo'),
  '.4.106.1': unread('MPEG-4 AVC/H.264 Stereo'),
  '.4.107': unread('HEVC/H.265'),
  '.4.108': unread('HEVC/H.265'),
  '.4.110': image('JPEG XL Lossless'),
  '.4.111': image('JPEG XL JPEG Recompression'),
  '.4.112': image('JPEG XL'),
  '.4.201': image('High-Throughput JPEG 2000 Lossless'),
  '.4.202': image('High-Throughput JPEG 2000 with RPCL Options Lossless'),
  '.4.203': image('High-Throughput JPEG 2000'),
  '.4.204': unread('JPIP HTJ2K Referenced'),
  '.4.205': unread('JPIP HTJ2K Referenced Deflate'),
  '.5': { ...LITTLE_ENDIAN, name: 'RLE Lossless', coding: 'rle' },
  '.8.1': { ...LITTLE_ENDIAN, name: 'Deflated Image Frame Compression', coding: 'deflated frames' },
};

/** Of a file that names none: what DICOM falls back to (PS3.5, section 10.1). */
export const DEFAULT_SYNTAX = SYNTAXES['']!;
export const BIG_ENDIAN_SYNTAX = SYNTAXES['.2']!;

/** A syntax that is not known answers with its UID as name and no coding. */
export function findTransferSyntax(uid: string): TransferSyntax {
  const known = uid.startsWith(UIDS) && SYNTAXES[uid.slice(UIDS.length)];
  return known || unread(/^[\d.]{1,64}$/.test(uid) ? uid : 'of an unknown name');
}
