/** Reads IPTC records (IIM 4.2) as names and values, under ExifTool's names. */
import { collectUntilDamage } from '../metadata/damage.ts';
import { datasets } from '../metadata/iptc.ts';
import { binary, guessText, LIMITS, type MetadataBudget, type MetadataObject, type MetadataValue } from './plain.ts';

const APPLICATION_RECORD = 2;

/** Names in the application record. `[]` marks datasets that may be repeated, which are always lists. */
const NAMES: Readonly<Record<number, string>> = {
  3: 'ObjectTypeReference',
  4: 'ObjectAttributeReference[]',
  5: 'ObjectName',
  7: 'EditStatus',
  8: 'EditorialUpdate',
  10: 'Urgency',
  12: 'SubjectReference[]',
  15: 'Category',
  20: 'SupplementalCategories[]',
  22: 'FixtureIdentifier',
  25: 'Keywords[]',
  26: 'ContentLocationCode[]',
  27: 'ContentLocationName[]',
  30: 'ReleaseDate',
  35: 'ReleaseTime',
  37: 'ExpirationDate',
  38: 'ExpirationTime',
  40: 'SpecialInstructions',
  42: 'ActionAdvised',
  45: 'ReferenceService[]',
  47: 'ReferenceDate[]',
  50: 'ReferenceNumber[]',
  55: 'DateCreated',
  60: 'TimeCreated',
  62: 'DigitalCreationDate',
  63: 'DigitalCreationTime',
  65: 'OriginatingProgram',
  70: 'ProgramVersion',
  75: 'ObjectCycle',
  80: 'By-line[]',
  85: 'By-lineTitle[]',
  90: 'City',
  92: 'Sub-location',
  95: 'Province-State',
  100: 'Country-PrimaryLocationCode',
  101: 'Country-PrimaryLocationName',
  103: 'OriginalTransmissionReference',
  105: 'Headline',
  110: 'Credit',
  115: 'Source',
  116: 'CopyrightNotice',
  118: 'Contact[]',
  120: 'Caption-Abstract',
  121: 'LocalCaption',
  122: 'Writer-Editor[]',
  130: 'ImageType',
  131: 'ImageOrientation',
  135: 'LanguageIdentifier',
  187: 'UniqueDocumentID',
  228: 'ContactInfo',
};

/** Datasets with binary numbers. */
const NUMBERS: Readonly<Record<number, string>> = {
  0: 'ApplicationRecordVersion',
  200: 'ObjectPreviewFileFormat',
  201: 'ObjectPreviewFileVersion',
};
const PREVIEW_DATA = 202;
const MAX_NUMBER_BYTES = 4;

/**
 * Reads the records by name, up to any damage. Never throws. Ignores the character set that record 1:90 may declare:
 * writers omit it, and text in other encodings hardly ever looks like UTF-8.
 */
export function readIptcTags(iptc: Uint8Array, allowance: MetadataBudget): MetadataObject {
  return collectUntilDamage<MetadataObject>({}, (tags) => {
    for (const { record, number, valueStart, end } of datasets(iptc)) {
      const value = iptc.subarray(valueStart, end);
      if (record !== APPLICATION_RECORD) continue;
      if (!allowance.take()) return;
      if (number === PREVIEW_DATA) tags.ObjectPreviewData = binary(value.length);
      else if (number in NUMBERS)
        tags[NUMBERS[number]!] = value.subarray(0, MAX_NUMBER_BYTES).reduce((sum, byte) => sum * 256 + byte, 0);
      else add(tags, NAMES[number], allowance.text(guessText(value)));
    }
  });
}

function add(tags: MetadataObject, entry: string | undefined, value: MetadataValue): void {
  if (entry === undefined || value === '') return;
  if (!entry.endsWith('[]')) {
    tags[entry] ??= value;
    return;
  }
  const name = entry.slice(0, -2);
  const list = tags[name];
  if (!Array.isArray(list)) tags[name] = [value];
  else if (list.length < LIMITS.list) list.push(value);
}
