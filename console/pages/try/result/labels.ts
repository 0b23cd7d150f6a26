/** Messages for the codes that the service returns. */

const OUTCOMES: Readonly<Record<string, string>> = {
  reduced: 'Smaller than the original.',
  kept_original: 'No encoding was smaller, so the picture of the original was kept.',
  grown: 'Larger than the original, because these settings lead to it.',
  target_met: 'The wanted size is met.',
  unreachable: 'The wanted size cannot be reached. This is the smallest version.',
};

/** Undefined if the operation did not aim at a file size. */
export const outcomeText = (outcome: string | undefined): string | undefined => OUTCOMES[outcome ?? ''];

const WARNINGS: Readonly<Record<string, string>> = {
  min_size_unavailable: 'Only JPEG and PNG can be padded to a least size.',
  print_resolution_low: 'The print size needs more pixels than there are.',
  source_small: 'The picture has fewer than 512 pixels on its longer side; large icons will not be sharp.',
  animation_flattened: 'Only one frame of the animation was used.',
  alpha_flattened: 'Transparency was painted with the background colour.',
  metadata_dropped: 'The format cannot hold the metadata that were to be kept.',
  color_converted: 'Colours were converted to sRGB.',
  truncated_source: 'The file ends early; the part that can be read was used.',
  preview_used: 'The preview in the camera file was used, not the data of its sensor.',
  no_faces_found: 'No faces were found.',
  low_confidence: 'The result is doubtful: look at it closely.',
  preset_unverified: "This preset was not read from the authority's own page.",
  watermark_shrunk: 'The text of the watermark did not fit at this size.',
};

export const warningText = (code: string): string => WARNINGS[code] ?? code;

const FORMATS: Readonly<Record<string, string>> = { jxl: 'JPEG XL', webp: 'WebP' };

export const formatText = (format: string): string => FORMATS[format] ?? format.toUpperCase();

const PRIVACY: Readonly<Record<string, string>> = {
  gps: 'the place where it was taken',
  serial_number: "the camera's serial number",
  owner_name: 'the name of its owner',
  thumbnail: 'a small copy of the picture, perhaps of before it was edited',
  software: 'the program that wrote it',
  face_regions: 'where faces are, perhaps with names',
};

export const privacyText = (code: string): string => PRIVACY[code] ?? code;
