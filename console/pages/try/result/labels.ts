/** Messages for the codes that the service returns. */
import { declarations } from '../../../declarations/declarations.ts';
import { choiceLabel } from '../../../parameters/labels.ts';

/** Undefined if the operation did not aim at a file size. */
export const outcomeText = (outcome: string | undefined): string | undefined =>
  outcome === 'done' ? undefined : declarations.outcomes[outcome ?? ''];

export const warningText = (code: string): string => declarations.warnings[code] ?? code;

export const formatText = (format: string): string => choiceLabel('format', format);

const PRIVACY: Readonly<Record<string, string>> = {
  gps: 'the place where it was taken',
  serial_number: "the camera's serial number",
  owner_name: 'the name of its owner',
  thumbnail: 'a small copy of the image, perhaps of before it was edited',
  software: 'the program that wrote it',
  face_regions: 'where faces are, perhaps with names',
};

export const privacyText = (code: string): string => PRIVACY[code] ?? code;
