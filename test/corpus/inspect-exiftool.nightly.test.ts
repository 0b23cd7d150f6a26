/** Compares inspect with ExifTool on real files. Each difference needs a reason in the table REASONS. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { before, describe, it } from 'node:test';
import { readFacts } from '../../codecs/facts/index.ts';
import { compileModules } from '../../codecs/modules.ts';
import { formatOf, openSource } from '../../codecs/read.ts';
import { startVips } from '../../codecs/vips.ts';
import { describeCamera } from '../../engine/operations/inspect/camera.ts';
import { describeColor, describeEncoding } from '../../engine/operations/inspect/color.ts';
import { takenAt } from '../../engine/operations/inspect/dates.ts';
import { describeGps } from '../../engine/operations/inspect/gps.ts';
import type { Inspection } from '../../engine/operations/inspect/record.ts';
import { describeSize } from '../../engine/operations/inspect/size.ts';
import { readTags } from '../../engine/operations/inspect/tags.ts';
import { corpus, corpusFiles, corpusPath, corpusSkipReason } from '../support/corpus.ts';
import { findProgram, skipWithout } from '../support/tool.ts';
import { verifies } from '../support/verifies.ts';

/** Folders whose files have camera metadata. The sizes of all other files are compared in the table of formats. */
const FOLDERS = ['avif', 'faces', 'gif', 'heic', 'jpeg', 'jxl', 'png', 'psd', 'raw', 'subject', 'text', 'tiff', 'webp'];

type Facts = Omit<ReturnType<typeof describeSize>, 'width' | 'height'> &
  Pick<Inspection, 'taken_at' | 'camera' | 'gps' | 'color' | 'encoding'>;
type ExifTool = Readonly<Record<string, string | number | undefined>>;

/** One comparison: the value of ExifTool, undefined if it has none, and whether inspect agrees. */
interface Field {
  theirs(tags: ExifTool): string | number | undefined;
  agrees(ours: Facts, theirs: string | number): boolean;
}

const first = (tags: ExifTool, ...names: string[]) =>
  names.map((name) => tags[name]).find((value) => value !== undefined && value !== '');
const near = (one: number | null | undefined, other: string | number, most: number) =>
  typeof one === 'number' && Math.abs(one - Number(other)) <= most;
const positive = (value: string | number | undefined) => (Number(value) > 0 ? value : undefined);
const iso = (date: string | number) => String(date).replace(/^(\d{4}):(\d\d):(\d\d) /, '$1-$2-$3T');

const FIELDS: Readonly<Record<string, Field>> = {
  size: {
    theirs: (tags) => tags['Composite:ImageSize'],
    agrees: ({ stored_width, stored_height }, size) => size === `${stored_width} ${stored_height}`,
  },
  orientation: {
    theirs: (tags) => first(tags, 'IFD0:Orientation', 'XMP-tiff:Orientation'),
    agrees: ({ orientation }, theirs) => orientation === theirs,
  },
  date: {
    theirs: (tags) =>
      first(
        tags,
        'Composite:SubSecDateTimeOriginal',
        'ExifIFD:DateTimeOriginal',
        'IFD0:DateTimeOriginal',
        'XMP-exif:DateTimeOriginal',
        'Composite:DateTimeOriginal',
      ),
    agrees: ({ taken_at }, theirs) => taken_at === iso(theirs),
  },
  make: {
    theirs: (tags) => first(tags, 'IFD0:Make', 'XMP-tiff:Make'),
    agrees: ({ camera }, theirs) => camera?.make === String(theirs).trim(),
  },
  model: {
    theirs: (tags) => first(tags, 'IFD0:Model', 'XMP-tiff:Model'),
    agrees: ({ camera }, theirs) => camera?.model === String(theirs).trim(),
  },
  lens: {
    theirs: (tags) => first(tags, 'ExifIFD:LensModel', 'Canon:LensModel', 'XMP-aux:Lens'),
    agrees: ({ camera }, theirs) => camera?.lens === String(theirs).trim(),
  },
  'exposure time': {
    theirs: (tags) => positive(first(tags, 'ExifIFD:ExposureTime', 'IFD0:ExposureTime')),
    agrees: ({ camera }, theirs) => {
      const [seconds = Number.NaN, part = 1] = (camera?.exposure_time ?? '').split('/').map(Number);
      return near(seconds / part / Number(theirs), 1, 0.01);
    },
  },
  'f-number': {
    theirs: (tags) => positive(first(tags, 'ExifIFD:FNumber', 'IFD0:FNumber')),
    agrees: ({ camera }, theirs) => near(camera?.f_number, theirs, 0.005),
  },
  iso: {
    theirs: (tags) => positive(tags['ExifIFD:ISO']),
    agrees: ({ camera }, theirs) => camera?.iso === theirs,
  },
  'focal length': {
    theirs: (tags) => positive(first(tags, 'ExifIFD:FocalLength', 'IFD0:FocalLength')),
    agrees: ({ camera }, theirs) => near(camera?.focal_length_mm, theirs, 0.005),
  },
  // Latitude and longitude agree to 1e-6 degrees.
  latitude: {
    theirs: (tags) => tags['Composite:GPSLatitude'],
    agrees: ({ gps }, theirs) => near(gps?.latitude, theirs, 1e-6),
  },
  longitude: {
    theirs: (tags) => tags['Composite:GPSLongitude'],
    agrees: ({ gps }, theirs) => near(gps?.longitude, theirs, 1e-6),
  },
  altitude: {
    theirs: (tags) => tags['Composite:GPSAltitude'],
    agrees: ({ gps }, theirs) => near(gps?.altitude_m, theirs, 0.001),
  },
  direction: {
    theirs: (tags) => first(tags, 'GPS:GPSImgDirection', 'XMP-exif:GPSImgDirection'),
    agrees: ({ gps }, theirs) => near(gps?.direction_deg, theirs, 0.001),
  },
  'time of GPS': {
    theirs: (tags) => tags['Composite:GPSDateTime'],
    agrees: ({ gps }, theirs) => gps?.taken_at === iso(theirs),
  },
  bits: {
    theirs: (tags) =>
      first(
        tags,
        'File:BitsPerSample',
        'PNG:BitDepth',
        'IFD0:BitsPerSample',
        'Photoshop:BitDepth',
        'QuickTime:ImagePixelDepth',
      ),
    // ExifTool gives a value per sample. For raw files it gives that of the preview, which comes first.
    agrees: ({ color }, theirs) => color.bit_depth === Number(String(theirs).split(' ', 1)[0]),
  },
  subsampling: {
    theirs: (tags) => SUBSAMPLING[String(tags['File:YCbCrSubSampling'])],
    agrees: ({ encoding }, theirs) => encoding.chroma_subsampling === theirs,
  },
  profile: {
    theirs: (tags) => tags['ICC_Profile:ProfileDescription'],
    agrees: ({ color }, theirs) => color.icc_profile === String(theirs).trim(),
  },
};

/** Luminance samples per chroma sample, as ExifTool writes them, to the usual notation. */
const SUBSAMPLING: Readonly<Record<string, string>> = {
  '1 1': '4:4:4',
  '2 1': '4:2:2',
  '2 2': '4:2:0',
  '1 2': '4:4:0',
};

/** Why inspect differs from ExifTool, by file and field. */
const REASONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'raw/exiv2--IMG_1361.dng': {
    bits: 'of the preview in the first directory; the raw image behind it has 12, as ExifTool says of SubIFD',
  },
  'heic/photoprism--iphone_7.heic': {
    orientation: 'HEIF turns an image by its irot property, which is missing here, and never by EXIF',
  },
};

const TAGS = [
  ...['IFD0:Orientation', 'XMP-tiff:Orientation', 'DateTimeOriginal', 'Make', 'Model', 'LensModel', 'XMP-aux:Lens'],
  ...['BitsPerSample', 'BitDepth', 'ImagePixelDepth', 'YCbCrSubSampling'],
  ...['ExposureTime', 'FNumber', 'ISO', 'FocalLength', 'GPSImgDirection', 'ProfileDescription', 'Composite:all'],
];

function exifTool(): Map<string, ExifTool> {
  const folders = FOLDERS.map((folder) => corpusPath(folder));
  const asked = TAGS.map((tag) => `-${tag}`);
  const output = execFileSync(findProgram('exiftool')!, ['-json', '-n', '-G1', '-q', '-q', ...asked, ...folders], {
    maxBuffer: 2 ** 28,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const files: ExifTool[] = JSON.parse(output.toString());
  return new Map(files.map((tags) => [String(tags.SourceFile), tags]));
}

describe('inspect and ExifTool', { skip: corpusSkipReason || skipWithout('exiftool') }, () => {
  let theirs: Map<string, ExifTool>;
  let open: (path: string) => Promise<Facts | undefined>;

  before(async () => {
    theirs = exifTool();
    const modules = await compileModules();
    const { vips, releaseHandles } = await startVips(modules);
    open = async (path) => {
      const bytes = new Uint8Array(corpus(path)!);
      try {
        const format = await formatOf(bytes, path);
        const { header } = await openSource({ vips, modules }, { bytes, format, page: 1, filename: path });
        const facts = readFacts(format, bytes, 1);
        const tags = readTags(facts);
        return {
          ...describeSize(header, facts),
          taken_at: takenAt(tags),
          camera: describeCamera(tags),
          gps: describeGps(tags),
          color: describeColor(header, facts, tags, undefined),
          encoding: describeEncoding(facts),
        };
      } catch {
        // Other tests cover files that cannot be opened.
        return undefined;
      } finally {
        releaseHandles();
      }
    };
  });

  it('return the same values for every file with metadata', async (t) => {
    verifies('inspect.size', 'inspect.metadata', 'inspect.gps');
    const counts = new Map(Object.keys(FIELDS).map((name) => [name, { files: 0, agree: 0, reasons: 0 }]));
    const differences: string[] = [];
    for (const path of FOLDERS.flatMap(corpusFiles)) {
      const tags = theirs.get(corpusPath(path));
      const ours = tags && (await open(path));
      if (!ours) continue;
      for (const [name, field] of Object.entries(FIELDS)) {
        const value = field.theirs(tags);
        if (value === undefined) continue;
        const count = counts.get(name)!;
        const reason = REASONS[path]?.[name];
        count.files += 1;
        if (field.agrees(ours, value)) {
          count.agree += 1;
          if (reason) differences.push(`${path}: ${name} agrees, so its reason is not needed any more`);
        } else if (reason) count.reasons += 1;
        else differences.push(`${path}: ${name} is ${value} to ExifTool, but we say ${JSON.stringify(ours)}`);
      }
    }
    for (const [name, { files, agree, reasons }] of counts) {
      t.diagnostic(
        `${name.padEnd(13)} ${String(files).padStart(4)} files, ${agree} agree, ${reasons} differ for a reason`,
      );
      assert.ok(files > 0, `no file has a ${name}`);
    }
    assert.deepEqual(differences, []);
  });
});
