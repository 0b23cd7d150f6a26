/** Date, position, camera and privacy hints, from names and values as stored in EXIF, IPTC and XMP. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MetadataObject } from '../../../../codecs/tags/plain.ts';
import { describeCamera } from '../../../../engine/operations/inspect/camera.ts';
import { takenAt } from '../../../../engine/operations/inspect/dates.ts';
import { describeGps } from '../../../../engine/operations/inspect/gps.ts';
import { privacyConcerns } from '../../../../engine/operations/inspect/privacy.ts';
import type { TagSets } from '../../../../engine/operations/inspect/tags.ts';

const sets = (given: {
  exif?: MetadataObject;
  iptc?: MetadataObject;
  xmp?: MetadataObject;
  pngText?: MetadataObject;
}): TagSets => ({
  ...{ exif: {}, iptc: {}, xmp: {}, pngText: {}, comment: undefined },
  ...given,
});

describe('the date of the shot', () => {
  const cases: [string, Parameters<typeof sets>[0], string | null][] = [
    ['EXIF alone has no zone', { exif: { DateTimeOriginal: '2026:03:05 11:28:10' } }, '2026-03-05T11:28:10'],
    [
      'fraction and zone of EXIF',
      { exif: { DateTimeOriginal: '2026:03:05 11:28:10', SubSecTimeOriginal: '023', OffsetTimeOriginal: '-05:00' } },
      '2026-03-05T11:28:10.023-05:00',
    ],
    [
      'padding and nonsense in fraction and zone',
      { exif: { DateTimeOriginal: '2026:03:05 11:28:10', SubSecTimeOriginal: '   ', OffsetTimeOriginal: '   :  ' } },
      '2026-03-05T11:28:10',
    ],
    [
      'EXIF before XMP',
      {
        exif: { DateTimeOriginal: '2026:03:05 11:28:10' },
        xmp: { 'exif:DateTimeOriginal': '2025-01-01T00:00:00' },
      },
      '2026-03-05T11:28:10',
    ],
    ['an empty EXIF date', { exif: { DateTimeOriginal: '0000:00:00 00:00:00' } }, null],
    ['blanks for a date', { exif: { DateTimeOriginal: '    :  :     :  :  ' } }, null],
    ['XMP with a zone', { xmp: { 'exif:DateTimeOriginal': '2008-05-04T16:47:24+09:00' } }, '2008-05-04T16:47:24+09:00'],
    ['XMP without seconds', { xmp: { 'photoshop:DateCreated': '2008-05-04T16:47Z' } }, '2008-05-04T16:47:00Z'],
    ['XMP with the day only', { xmp: { 'photoshop:DateCreated': '2008-05-04' } }, '2008-05-04'],
    ['XMP with the month only', { xmp: { 'photoshop:DateCreated': '2008-05' } }, null],
    ['IPTC', { iptc: { DateCreated: '20260305', TimeCreated: '112810+0200' } }, '2026-03-05T11:28:10+02:00'],
    ['IPTC without a time', { iptc: { DateCreated: '20260305' } }, '2026-03-05'],
    ['IPTC without a day', { iptc: { DateCreated: '20260300' } }, null],
    [
      'the digitisation when there is nothing else',
      { exif: { CreateDate: '2026:03:05 11:28:10' } },
      '2026-03-05T11:28:10',
    ],
    ['no date for a change', { exif: { ModifyDate: '2026:03:05 11:28:10' } }, null],
    ['hour 24', { exif: { DateTimeOriginal: '2026:03:05 24:00:00' } }, null],
  ];
  for (const [name, given, expected] of cases) {
    it(name, () => assert.equal(takenAt(sets(given)), expected));
  }
});

describe('the location', () => {
  const place = (exif: MetadataObject, xmp: MetadataObject = {}) => describeGps(sets({ exif, xmp }));
  const nothing = { latitude: null, longitude: null, altitude_m: null, direction_deg: null, taken_at: null };

  it('gets its sign from its references', () => {
    const exif = { GPSLatitude: 33.5, GPSLatitudeRef: 'S', GPSLongitude: 151.25, GPSLongitudeRef: 'E' };
    assert.deepEqual(place(exif), { ...nothing, latitude: -33.5, longitude: 151.25 });
    const west = place({ GPSLatitude: 0, GPSLatitudeRef: 'S', GPSLongitude: 0.125, GPSLongitudeRef: 'West' });
    assert.deepEqual(west, { ...nothing, latitude: 0, longitude: -0.125 });
    assert.ok(!Object.is(west?.latitude, -0));
  });

  it('has altitude, direction and time', () => {
    const exif = {
      ...{ GPSAltitude: 12.5, GPSAltitudeRef: 1, GPSImgDirection: 143.86636 },
      ...{ GPSDateStamp: '2026:03:05', GPSTimeStamp: '09:05:07.25' },
    };
    assert.deepEqual(place(exif), {
      ...nothing,
      ...{ altitude_m: -12.5, direction_deg: 143.866, taken_at: '2026-03-05T09:05:07.25Z' },
    });
  });

  it('is null when nothing valid is recorded', () => {
    assert.equal(place({}), null);
    assert.equal(place({ GPSVersionID: [2, 3, 0, 0], GPSDateStamp: '2026:03:05' }), null);
    assert.equal(place({ GPSLatitude: 4_294_967_295 }), null);
    assert.equal(place({ GPSLatitude: 91, GPSLongitude: 181, GPSImgDirection: 361 }), null);
  });

  it('comes from XMP when EXIF has none', () => {
    const xmp = {
      ...{ 'exif:GPSLatitude': '48,49.325N', 'exif:GPSLongitude': '2,23,54.498W' },
      ...{ 'exif:GPSAltitude': '8319/100', 'exif:GPSAltitudeRef': '0', 'exif:GPSTimeStamp': '2023-08-05T15:16:52Z' },
    };
    assert.deepEqual(place({}, xmp), {
      ...nothing,
      ...{ latitude: 48.82208333, longitude: -2.39847167, altitude_m: 83.19, taken_at: '2023-08-05T15:16:52Z' },
    });
    const exif = { GPSLatitude: 1, GPSLatitudeRef: 'N', GPSLongitude: 2, GPSLongitudeRef: 'E' };
    assert.deepEqual(place(exif, xmp), { ...nothing, latitude: 1, longitude: 2 });
    const drone = place({}, { 'drone-dji:GpsLatitude': '-46.0569', 'drone-dji:GpsLongtitude': '+14.5058' });
    assert.deepEqual([drone?.latitude, drone?.longitude], [-46.0569, 14.5058]);
    assert.equal(place({}, { 'exif:GPSLatitude': '99,0,0N', 'exif:GPSLongitude': 'x' }), null);
  });
});

describe('the camera', () => {
  const camera = (exif: MetadataObject, xmp: MetadataObject = {}) => describeCamera(sets({ exif, xmp }));

  it('formats exposure times as cameras do', () => {
    for (const [seconds, shown] of [
      [0.004, '1/250'],
      [0.00018, '1/5556'],
      [0.25, '1/4'],
      [0.3, '0.3'],
      [0.5, '0.5'],
      [1, '1'],
      [2.5, '2.5'],
      [30, '30'],
    ] as const) {
      assert.equal(camera({ ExposureTime: seconds })?.exposure_time, shown);
    }
    assert.equal(camera({ ExposureTime: 0 }), null);
  });

  it('reads sensitivities above the original EXIF limit', () => {
    assert.equal(camera({ ISO: 400 })?.iso, 400);
    assert.equal(camera({ ISO: [100, 0] })?.iso, 100);
    assert.equal(camera({ ISO: 65_535, RecommendedExposureIndex: 102_400 })?.iso, 102_400);
    assert.equal(camera({ ISO: 0 }), null);
  });

  it('takes the lens from EXIF, maker notes or XMP, in this order', () => {
    const notes = { MakerNote: { maker: 'Nikon', bytes: 9, Lens: '18-70mm f/3.5-4.5' } };
    const xmp = { 'aux:Lens': 'From XMP' };
    assert.equal(camera({ LensModel: 'From EXIF', ...notes }, xmp)?.lens, 'From EXIF');
    assert.equal(camera(notes, xmp)?.lens, '18-70mm f/3.5-4.5');
    assert.equal(camera({}, xmp)?.lens, 'From XMP');
  });

  it('comes from XMP when there is no EXIF', () => {
    const xmp = {
      ...{ 'tiff:Make': 'Acme', 'tiff:Model': 'Box', 'exif:FNumber': '28/10', 'exif:ExposureTime': '1/60' },
      ...{ 'exif:ISOSpeedRatings': ['200'], 'exif:FocalLength': '500/10' },
    };
    assert.deepEqual(camera({}, xmp), {
      ...{ make: 'Acme', model: 'Box', lens: null, exposure_time: '1/60' },
      ...{ f_number: 2.8, iso: 200, focal_length_mm: 50 },
    });
  });
});

describe('privacy hints', () => {
  const concerns = (given: Parameters<typeof sets>[0]) => privacyConcerns(sets(given), { gps: null, thumbnail: null });

  it('name data that identifies people and devices', () => {
    assert.deepEqual(concerns({}), []);
    assert.deepEqual(concerns({ exif: { LensSerialNumber: '1' } }), ['serial_number']);
    assert.deepEqual(concerns({ exif: { MakerNote: { maker: 'Canon', bytes: 9, SerialNumber: '1' } } }), [
      'serial_number',
    ]);
    assert.deepEqual(concerns({ xmp: { 'dc:creator': ['Ana'] } }), ['owner_name']);
    assert.deepEqual(concerns({ iptc: { 'By-line': ['Ana'] } }), ['owner_name']);
    assert.deepEqual(concerns({ xmp: { 'mwg-rs:Regions': {} } }), ['face_regions']);
    assert.deepEqual(concerns({ pngText: { Software: 'x' } }), ['software']);
    assert.deepEqual(concerns({ exif: { Software: '' } }), []);
  });

  it('are in the order of the API', () => {
    const gps = { latitude: 1, longitude: 2, altitude_m: null, direction_deg: null, taken_at: null };
    const thumbnail = { width: 1, height: 1, bytes: 1, format: 'jpeg' };
    const given = sets({ exif: { Software: 'x', OwnerName: 'y', SerialNumber: 'z' }, xmp: { 'MP:RegionInfo': {} } });
    assert.deepEqual(privacyConcerns(given, { gps, thumbnail }), [
      ...['gps', 'serial_number', 'owner_name', 'thumbnail', 'software', 'face_regions'],
    ]);
    assert.deepEqual(privacyConcerns(given, { gps: { ...gps, latitude: null, longitude: null }, thumbnail: null }), [
      ...['serial_number', 'owner_name', 'software', 'face_regions'],
    ]);
  });
});
