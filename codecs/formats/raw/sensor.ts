/** Reads the directories of a camera raw for data about its main image, without decoding it. */
import { bufferOf, type Range, Reader, startsWith } from '../../metadata/bytes.ts';
import { tryParse } from '../../metadata/damage.ts';
import { openTiff, type TiffStream } from '../../metadata/directory.ts';
import { boxesOf } from '../../metadata/isobmff.ts';
import { holdsSensorData, isReduced, numberIn, numbersIn, RAW_TAG, rawDirectories } from './directories.ts';
import { openRaw, type RawContent } from './metadata.ts';

export interface Sensor {
  /** As stored; undefined where the directories do not declare it. */
  size: { width: number; height: number } | undefined;
  /** EXIF orientation, 1 to 8; undefined when the file does not declare it. */
  orientation: number | undefined;
  /** Parts of the main image (strips or tiles), ascending. */
  parts: Range[];
  /** Whether all of the main image lies inside the file, as far as is known. */
  complete: boolean;
}

type Directories = ReturnType<typeof rawDirectories>;

export function readSensor(bytes: Uint8Array): Sensor {
  const content = openRaw(bytes);
  const stream = streamOf(bytes, content);
  // The directories of Canon and Minolta do not locate the image: their offsets do not count from the start of the
  // file.
  const whole = content !== undefined && 'tiff' in content && content.tiff.reader.length === bytes.length;
  const directories = stream ? rawDirectories(stream) : [];
  const first = directories[0];
  const parts = stream && whole ? partsOf(stream, directories) : [];
  return {
    size: stream && whole ? sizeOf(stream, directories) : undefined,
    orientation: stream && first ? numberIn(stream, first, RAW_TAG.orientation) : undefined,
    parts,
    complete: parts.every(({ end }) => end <= bytes.length) && containerIsComplete(bytes),
  };
}

function streamOf(bytes: Uint8Array, content: RawContent | undefined): TiffStream | undefined {
  if (!content) return canonStream(bytes);
  if ('jpeg' in content) return undefined;
  return 'tiff' in content ? content.tiff : content.canon.main;
}

/** Opens the first directory of a truncated CR3. Its box is near the start, so it is searched for by name. */
function canonStream(bytes: Uint8Array): TiffStream | undefined {
  const at = bufferOf(bytes.subarray(0, CANON_HEADER_WITHIN)).indexOf('CMT1');
  return at === -1 ? undefined : tryParse(() => openTiff(bytes.subarray(at + 4), 'raw'));
}

const CANON_HEADER_WITHIN = 4_096;

function sizeOf(stream: TiffStream, directories: Directories): Sensor['size'] {
  const sizes = directories
    .filter((directory) => holdsSensorData(stream, directory) || !isReduced(stream, directory))
    .map((directory) => ({
      width: numberIn(stream, directory, RAW_TAG.width) ?? 0,
      height: numberIn(stream, directory, RAW_TAG.height) ?? 0,
    }));
  return sizes.filter(({ width, height }) => width > 0 && height > 0).sort((a, b) => b.width - a.width)[0];
}

function partsOf(stream: TiffStream, directories: Directories): Range[] {
  return directories
    .filter((directory) => holdsSensorData(stream, directory))
    .flatMap((directory) => {
      const numbers = (tags: readonly number[]) => tags.flatMap((tag) => numbersIn(stream, directory, tag));
      const starts = numbers([RAW_TAG.stripOffsets, RAW_TAG.tileOffsets]);
      const lengths = numbers([RAW_TAG.stripByteCounts, RAW_TAG.tileByteCounts]);
      return starts.map((start, index) => ({ start, end: start + (lengths[index] ?? 0) }));
    })
    .sort((a, b) => a.start - b.start);
}

/** Offset and length of the sensor data, in Fujifilm's fixed header. */
const FUJIFILM_SENSOR_DATA = 100;

function containerIsComplete(bytes: Uint8Array): boolean {
  const reader = new Reader(bytes, 'raw');
  if (startsWith(bytes, 'FUJIFILMCCD-RAW')) {
    const end = tryParse(() => reader.u32(FUJIFILM_SENSOR_DATA) + reader.u32(FUJIFILM_SENSOR_DATA + 4));
    return end !== undefined && end <= bytes.length;
  }
  if (startsWith(bytes.subarray(4), 'ftyp')) return tryParse(() => boxesOf(reader, 0, bytes.length)) !== undefined;
  return true;
}
