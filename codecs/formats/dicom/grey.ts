/**
 * Converts stored values to grey (DICOM PS3.3, C.11.1 and C.11.2; PS3.4, N.2): the modality transformation, then the
 * values of interest (VOI), then the nearest of 256 grey levels.
 */
import type { DataSet } from './elements.ts';
import type { DicomImage } from './image.ts';
import type { StoredValues } from './stored.ts';
import { type LookupTable, lookUp, readTable } from './tables.ts';
import { TAG } from './tags.ts';

const WHITE = 255;

/** Converts stored values to meaningful ones such as Hounsfield units. */
export type Modality = { table: LookupTable } | { slope: number; intercept: number };

/** The values from black to white (C.11.2.1.2 and C.11.2.1.3). */
export type Voi =
  | { kind: 'table'; table: LookupTable }
  | { kind: 'linear'; black: number; width: number }
  | { kind: 'sigmoid'; centre: number; width: number };

export interface Presentation {
  modality: Modality;
  /** Without it, the whole range of the frame's values is shown. */
  voi: Voi | undefined;
}

/**
 * Reads what applies to one frame: its own functional groups first, then the shared ones, then the data set (C.7.6.16).
 * @param frame from 0
 */
export function readPresentation(dataSet: DataSet, frame: number, image: DicomImage): Presentation {
  const groups = [dataSet.item(TAG.perFrameGroups, frame), dataSet.item(TAG.sharedGroups)];
  const withRescale = [...groups.map((group) => group?.item(TAG.pixelValueTransformation)), dataSet];
  const withVoi = [...groups.map((group) => group?.item(TAG.frameVoi)), dataSet];

  let modality: Modality | undefined;
  for (const source of withRescale) modality ??= source && readModality(source, image.signed);
  modality ??= { slope: 1, intercept: 0 };
  const signed = image.signed || ('slope' in modality && modality.intercept < 0);
  let voi: Voi | undefined;
  for (const source of withVoi) voi ??= source && readVoi(source, signed);
  return { modality, voi };
}

function readModality(source: DataSet, signed: boolean): Modality | undefined {
  const item = source.item(TAG.modalityTables);
  const table = item && readTable(item, TAG.tableDescriptor, TAG.tableData, signed);
  if (table) return { table };
  const slope = source.decimals(TAG.rescaleSlope)[0];
  const intercept = source.decimals(TAG.rescaleIntercept)[0];
  if (slope === undefined && intercept === undefined) return undefined;
  // A slope of 0 would make the image uniform.
  return { slope: slope || 1, intercept: intercept ?? 0 };
}

function readVoi(source: DataSet, signed: boolean): Voi | undefined {
  const item = source.item(TAG.voiTables);
  const table = item && readTable(item, TAG.tableDescriptor, TAG.tableData, signed);
  if (table) return { kind: 'table', table };
  const centre = source.decimals(TAG.windowCentre)[0];
  const width = source.decimals(TAG.windowWidth)[0];
  if (centre === undefined || width === undefined || width <= 0) return undefined;
  const name = source.text(TAG.voiFunction);
  if (name === 'SIGMOID') return { kind: 'sigmoid', centre, width };
  // LINEAR puts white at the middle of its last value, and is not defined below a width of 1.
  const exact = name === 'LINEAR_EXACT' || width < 1;
  return { kind: 'linear', black: centre - width / 2, width: exact ? width : width - 1 };
}

/** @param bits number of bits that a stored value uses */
export function renderGrey(
  values: StoredValues,
  bits: number,
  image: DicomImage,
  presentation: Presentation,
): Uint8Array {
  const { modality, padding } = { ...presentation, padding: image.padding };
  const voi = presentation.voi ?? wholeRange(values, bits, image, modality);
  const inverted = image.model === 'monochrome1';
  const grey = new Uint8Array(values.length);

  if (values.BYTES_PER_ELEMENT > 2) {
    for (let index = 0; index < values.length; index++) {
      const value = values[index]!;
      const byte = toGrey(toModality(value, modality), voi);
      grey[index] = padding && isPadding(value, padding) ? 0 : inverted ? WHITE - byte : byte;
    }
    return grey;
  }
  const count = 2 ** (values.BYTES_PER_ELEMENT * 8);
  const levels = new Uint8Array(count);
  const lowest = values instanceof Int8Array || values instanceof Int16Array ? -count / 2 : 0;
  for (let value = lowest; value < lowest + count; value++) {
    const byte = toGrey(toModality(value, modality), voi);
    levels[value & (count - 1)] = padding && isPadding(value, padding) ? 0 : inverted ? WHITE - byte : byte;
  }
  for (let index = 0; index < values.length; index++) grey[index] = levels[values[index]! & (count - 1)]!;
  return grey;
}

/**
 * Chooses the range to show. Values of up to 8 bits without a unit are an ordinary image with black at 0. Deeper
 * values, and those of a modality, are measurements, shown from the smallest to the largest value of the frame.
 */
function wholeRange(values: StoredValues, bits: number, image: DicomImage, modality: Modality): Voi {
  const isOrdinary =
    bits <= 8 && !image.signed && 'slope' in modality && modality.slope === 1 && modality.intercept === 0;
  if (isOrdinary) return { kind: 'linear', black: 0, width: 2 ** bits - 1 };
  const { padding } = image;
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (let index = 0; index < values.length; index++) {
    const stored = values[index]!;
    if (padding && isPadding(stored, padding)) continue;
    const value = toModality(stored, modality);
    if (!Number.isFinite(value)) continue;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return { kind: 'linear', black: least, width: most - least };
}

const isPadding = (value: number, { from, to }: { from: number; to: number }): boolean => value >= from && value <= to;

const toModality = (value: number, modality: Modality): number =>
  'table' in modality ? lookUp(modality.table, value) : value * modality.slope + modality.intercept;

/** NaN becomes black. */
function toGrey(value: number, voi: Voi): number {
  if (voi.kind === 'table') return Math.round((lookUp(voi.table, value) * WHITE) / voi.table.most);
  if (voi.kind === 'sigmoid') return Math.round(WHITE / (1 + Math.exp((-4 * (value - voi.centre)) / voi.width)));
  const above = value - voi.black;
  if (above > voi.width) return WHITE;
  return above > 0 ? Math.round((above * WHITE) / voi.width) : 0;
}
