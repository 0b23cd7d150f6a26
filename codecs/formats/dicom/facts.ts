/** Reads the facts of a DICOM file for inspection. None of them identifies a person. Safe on the main thread. */
import { openDicom } from './file.ts';
import { TAG } from './tags.ts';

export interface DicomFacts {
  transferSyntax: string;
  /** Modality by PS3.3, C.7.3.1.1.1: CT, MR, US ... */
  modality: string | undefined;
  photometricInterpretation: string | undefined;
  bitsStored: number | undefined;
}

/** @throws Failure `corrupt_image`, `image_too_large` */
export function readDicomFacts(bytes: Uint8Array): DicomFacts {
  const { syntax, dataSet } = openDicom(bytes);
  return {
    transferSyntax: syntax.name,
    modality: dataSet.text(TAG.modality),
    photometricInterpretation: dataSet.text(TAG.photometricInterpretation),
    bitsStored: dataSet.integer(TAG.bitsStored),
  };
}
