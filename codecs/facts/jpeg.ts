/** Facts of JPEG files: tables and frame, application segments, and the images that follow the first one. */
import { latin1, Reader, startsWith } from '../metadata/bytes.ts';
import { collectUntilDamage, tryParse } from '../metadata/damage.ts';
import { readStored } from '../metadata/jpeg.ts';
import { gainMapOf } from '../metadata/jpeg-gain-map.ts';
import { headSegments, isFrame, MARKER } from '../metadata/jpeg-segments.ts';
import { guessText } from '../tags/plain.ts';
import type { ColourFacts, FileFacts, PreviewFacts } from './facts.ts';
import { jpegGainMapFacts } from './gain-map.ts';
import { chromaOf, frameOfJpeg, type JpegFrame, readFrame } from './jpeg-frame.ts';
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

interface Found {
  tables: Map<number, number[]>;
  frame?: JpegFrame;
  comment?: string;
  preview?: PreviewFacts;
  c2pa: boolean;
}

export function jpegFacts(bytes: Uint8Array): FileFacts {
  const blocks = readStored(bytes);
  const { tables, frame, comment, preview, c2pa } = headerOf(bytes);
  const gainMap = gainMapOf(bytes);
  const quality = qualityOf({ tables, frame });
  const compression = frame && PROCESSES[frame.process];
  const chroma = frame && chromaOf(frame);
  return {
    blocks,
    colour: { ...(frame ? colourOf(frame) : {}), hdr: gainMap !== undefined },
    coding: {
      ...(frame ? { progressive: PROGRESSIVE.has(frame.process), lossless: LOSSLESS.has(frame.process) } : {}),
      ...(chroma ? { chromaSubsampling: chroma } : {}),
      ...(quality ? { quality } : {}),
      ...(compression ? { compression } : {}),
    },
    ...(comment ? { comment } : {}),
    ...(preview ? { preview } : {}),
    ...(gainMap ? { gainMap: jpegGainMapFacts(gainMap) } : {}),
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
  return collectUntilDamage<Found>({ tables: new Map(), c2pa: false }, (found) => {
    for (const { marker, payload } of headSegments(bytes)) {
      if (marker === DQT) readTables(payload, found.tables);
      else if (isFrame(marker)) found.frame ??= readFrame(marker, payload);
      else if (marker === MARKER.com) found.comment ??= guessText(payload);
      else if (marker === MARKER.app0 && startsWith(payload, JFXX)) {
        const preview = extensionPreview(payload);
        if (preview) found.preview ??= preview;
      } else if (marker === APP11 && isContentCredentials(payload)) found.c2pa = true;
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
    const size = frameOfJpeg(data);
    return { width: size?.width ?? null, height: size?.height ?? null, bytes: data.length, format: 'jpeg' };
  }
  if (code !== 0x11 && code !== 0x13) return undefined;
  const [width = 0, height = 0] = data;
  return { width, height, bytes: data.length - 2, format: 'rgb' };
}

/** Whether the payload is a JUMBF superbox described as C2PA (C2PA 2.1, 11.1 and A.3.1; ISO/IEC 19566-5). */
function isContentCredentials(payload: Uint8Array): boolean {
  const start = latin1(payload.subarray(0, 64));
  return start.startsWith('JP') && start.includes('jumb') && start.includes('c2pa');
}
