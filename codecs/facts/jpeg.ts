/** Facts of JPEG files: tables and frame, application segments, and the images that follow the first one. */
import { bufferOf, Reader, startsWith } from '../metadata/bytes.ts';
import { collectUntilDamage, tryParse } from '../metadata/damage.ts';
import { readStored } from '../metadata/jpeg.ts';
import { headSegments, isFrame, MARKER } from '../metadata/jpeg-segments.ts';
import { guessText } from '../tags/plain.ts';
import type { ColourFacts, FileFacts, PreviewFacts } from './facts.ts';
import { chromaOf, type JpegFrame, jpegSize, readFrame } from './jpeg-frame.ts';
import { estimateQuality } from './jpeg-quality.ts';

const DQT = 0xdb;
const APP11 = 0xeb;

/** Coding process by start-of-frame number (ITU-T T.81, table B.1). */
const PROCESSES: Readonly<Record<number, string>> = {
  0: 'baseline',
  1: 'extended',
  2: 'progressive',
  3: 'lossless',
  5: 'extended_differential',
  6: 'progressive_differential',
  7: 'lossless_differential',
  9: 'extended_arithmetic',
  10: 'progressive_arithmetic',
  11: 'lossless_arithmetic',
};
const PROGRESSIVE: ReadonlySet<number> = new Set([2, 6, 10, 14]);
const LOSSLESS: ReadonlySet<number> = new Set([3, 7, 11, 15]);

const JFXX = 'JFXX\0';
const MPF_SIGNATURE = 'MPF\0';
/** ISO 21496-1: metadata of a gain map. */
const GAIN_MAP = 'urn:iso:std:iso:ts:21496:-1';

interface Found {
  tables: Map<number, number[]>;
  frame?: JpegFrame;
  comment?: string;
  preview?: PreviewFacts;
  c2pa: boolean;
  gainMap: boolean;
  /** Payload of the multi-picture segment and the offset that its entries count from. */
  multiPicture?: { payload: Uint8Array; base: number };
}

export function jpegFacts(bytes: Uint8Array): FileFacts {
  const blocks = readStored(bytes);
  const { tables, frame, comment, preview, c2pa, gainMap, multiPicture } = headerOf(bytes);
  const hdr =
    gainMap ||
    declaresGainMap(blocks.xmp) ||
    (multiPicture !== undefined && (tryParse(() => hasGainMapBehind(bytes, multiPicture)) ?? false));
  const quality = qualityOf({ tables, frame });
  const compression = frame && PROCESSES[frame.process];
  const chroma = frame && chromaOf(frame);
  return {
    blocks,
    colour: { ...(frame ? colourOf(frame) : {}), hdr },
    coding: {
      ...(frame ? { progressive: PROGRESSIVE.has(frame.process), lossless: LOSSLESS.has(frame.process) } : {}),
      ...(chroma ? { chromaSubsampling: chroma } : {}),
      ...(quality ? { quality } : {}),
      ...(compression ? { compression } : {}),
    },
    ...(comment ? { comment } : {}),
    ...(preview ? { preview } : {}),
    c2pa,
  };
}

/** Estimates the quality that a file's tables correspond to, from 1 to 100. Never throws. */
export const jpegQuality = (bytes: Uint8Array): number | undefined => tryParse(() => qualityOf(headerOf(bytes)));

function qualityOf({ tables, frame }: { tables: Found['tables']; frame?: JpegFrame | undefined }): number | undefined {
  if (!frame || LOSSLESS.has(frame.process)) return undefined;
  return estimateQuality(
    tables,
    frame.components.map(({ table }) => table),
  );
}

function colourOf({ components, precision }: JpegFrame): ColourFacts {
  const channels = components.length;
  const model = channels === 1 ? 'gray' : channels === 4 ? 'cmyk' : 'rgb';
  return { model, channels, bitDepth: precision };
}

/** Reads the segments in front of the first scan. */
function headerOf(bytes: Uint8Array): Found {
  return collectUntilDamage<Found>({ tables: new Map(), c2pa: false, gainMap: false }, (found) => {
    for (const { marker, payload, start } of headSegments(bytes)) {
      if (marker === DQT) readTables(payload, found.tables);
      else if (isFrame(marker)) found.frame ??= readFrame(marker, payload);
      else if (marker === MARKER.com) found.comment ??= guessText(payload);
      else if (marker === MARKER.app0 && startsWith(payload, JFXX)) {
        const preview = extensionPreview(payload);
        if (preview) found.preview ??= preview;
      } else if (marker === APP11 && isContentCredentials(payload)) found.c2pa = true;
      else if (marker === MARKER.app2 && startsWith(payload, GAIN_MAP)) found.gainMap = true;
      else if (marker === MARKER.app2 && startsWith(payload, MPF_SIGNATURE))
        found.multiPicture ??= {
          payload: payload.subarray(MPF_SIGNATURE.length),
          base: start + 4 + MPF_SIGNATURE.length,
        };
    }
  });
}

/** Reads quantisation tables of 64 steps of one or two bytes (ITU-T T.81, B.2.4.1). */
function readTables(payload: Uint8Array, tables: Map<number, number[]>): void {
  const reader = new Reader(payload, 'jpeg');
  for (let at = 0; at < reader.length; ) {
    const head = reader.u8(at);
    const size = head >> 4 === 0 ? 1 : 2;
    const steps = Array.from({ length: 64 }, (_, index) =>
      size === 1 ? reader.u8(at + 1 + index) : reader.u16(at + 1 + 2 * index),
    );
    tables.set(head & 15, steps);
    at += 1 + 64 * size;
  }
}

/** Reads the thumbnail of a JFIF 1.02 extension segment: a JPEG, or an image with a palette or in RGB. */
function extensionPreview(payload: Uint8Array): PreviewFacts | undefined {
  const data = payload.subarray(JFXX.length + 1);
  const code = payload[JFXX.length];
  if (code === 0x10) {
    const size = jpegSize(data);
    return { width: size?.width ?? null, height: size?.height ?? null, bytes: data.length, format: 'jpeg' };
  }
  if (code !== 0x11 && code !== 0x13) return undefined;
  const [width = 0, height = 0] = data;
  return { width, height, bytes: data.length - 2, format: 'rgb' };
}

/** Whether the payload is a JUMBF superbox described as C2PA (C2PA 2.1, 11.1 and A.3.1; ISO/IEC 19566-5). */
function isContentCredentials(payload: Uint8Array): boolean {
  const start = bufferOf(payload.subarray(0, 64)).toString('latin1');
  return start.startsWith('JP') && start.includes('jumb') && start.includes('c2pa');
}

/** Strings by which Adobe's and Google's gain maps are announced, in the XMP of the main image or of the map. */
const GAIN_MAP_XMP_MARKERS = ['hdrgm:Version', 'HDRGainMap:', ':hdrgainmap'];

const declaresGainMap = (xmp: Uint8Array | undefined): boolean =>
  xmp !== undefined && GAIN_MAP_XMP_MARKERS.some((word) => bufferOf(xmp).includes(word, 0, 'latin1'));

const ENTRY_BYTES = 16;
/** The first segments of a gain map identify it. */
const GAIN_MAP_HEAD_BYTES = 256 * 1024;
const MAX_IMAGES = 32;
const MP_ENTRY = 0xb002;

/** Whether one of the images listed in a multi-picture file (CIPA DC-007) is a gain map. */
function hasGainMapBehind(bytes: Uint8Array, { payload, base }: NonNullable<Found['multiPicture']>): boolean {
  const littleEndian = payload[0] === 0x49;
  const reader = new Reader(payload, 'jpeg', littleEndian);
  const directory = reader.u32(4);
  const fields = reader.u16(directory);
  for (let field = 0; field < fields; field += 1) {
    const at = directory + 2 + 12 * field;
    if (reader.u16(at) !== MP_ENTRY) continue;
    const entries = reader.slice(reader.u32(at + 8), reader.u32(at + 4));
    const list = new Reader(entries, 'jpeg', littleEndian);
    const count = Math.min(MAX_IMAGES, Math.floor(entries.length / ENTRY_BYTES));
    const offsets = Array.from({ length: count }, (_, index) => list.u32(index * ENTRY_BYTES + 8));
    // Offset 0 is the first image itself.
    return offsets.some(
      (offset) => offset > 0 && isGainMap(bytes.subarray(base + offset, base + offset + GAIN_MAP_HEAD_BYTES)),
    );
  }
  return false;
}

const isGainMap = (jpeg: Uint8Array): boolean => declaresGainMap(readStored(jpeg).xmp) || headerOf(jpeg).gainMap;
