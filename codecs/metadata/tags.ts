/** Tag numbers by their names in TIFF 6.0, its supplements and EXIF (CIPA DC-008). */
export const TAG = {
  newSubfileType: 254,
  imageWidth: 256,
  imageLength: 257,
  compression: 259,
  imageDescription: 270,
  make: 271,
  model: 272,
  stripOffsets: 273,
  orientation: 274,
  stripByteCounts: 279,
  xResolution: 282,
  yResolution: 283,
  resolutionUnit: 296,
  tileOffsets: 324,
  tileByteCounts: 325,
  subIfds: 330,
  jpegInterchangeFormat: 513,
  jpegInterchangeFormatLength: 514,
  jpegQTables: 519,
  jpegDcTables: 520,
  jpegAcTables: 521,
  xmp: 700,
  iptc: 33723,
  photoshop: 34377,
  exifIfd: 34665,
  icc: 34675,
  gpsIfd: 34853,
  makerNote: 37500,
  pixelXDimension: 40962,
  pixelYDimension: 40963,
  interoperabilityIfd: 40965,
} as const;

/** The geographic position of the image, as GeoTIFF 1.1 and GDAL store it in the first directory. */
export const GEO_TAGS: readonly number[] = [33550, 33922, 34264, 34735, 34736, 34737, 42112];

/**
 * Tags of the first directory that describe the image and are not needed to decode it (EXIF, tables 4 and 5; Windows).
 */
export const DESCRIPTIVE_TAGS: readonly number[] = [
  269, // DocumentName
  TAG.imageDescription,
  TAG.make,
  TAG.model,
  TAG.orientation,
  TAG.xResolution,
  TAG.yResolution,
  285, // PageName
  TAG.resolutionUnit,
  305, // Software
  306, // DateTime
  315, // Artist
  316, // HostComputer
  18246, // Rating
  18249, // RatingPercent
  33432, // Copyright
  40091, // XPTitle
  40092, // XPComment
  40093, // XPAuthor
  40094, // XPKeywords
  40095, // XPSubject
  ...GEO_TAGS,
];
