/** All steps that pipelines offer (docs/spec/shapes.md, section 9.2). Everything that lists steps takes them from here. */
import { z } from 'zod';
import { described } from '../../base/described.ts';
import * as parameters from '../operations/parameters.ts';
import { adjust } from './adjust.ts';
import { blurFaces } from './blur-faces.ts';
import { border } from './border.ts';
import { compress } from './compress.ts';
import { convert } from './convert.ts';
import { crop } from './crop.ts';
import { flip } from './flip.ts';
import { gif } from './gif.ts';
import { idPhoto } from './id-photo.ts';
import { metadata } from './metadata.ts';
import { orient } from './orient.ts';
import { pad } from './pad.ts';
import { removeBackground } from './remove-background.ts';
import { resize } from './resize.ts';
import { rotate } from './rotate.ts';
import type { AnyStep, StepLabel } from './step.ts';
import { trim } from './trim.ts';
import { upscale } from './upscale.ts';
import { watermark } from './watermark.ts';

const DEFINITIONS = {
  orient,
  trim,
  crop,
  flip,
  rotate,
  resize,
  pad,
  adjust,
  border,
  watermark,
  remove_background: removeBackground,
  upscale,
  blur_faces: blurFaces,
  id_photo: idPhoto,
  gif,
  metadata,
  convert,
  compress,
} as const;

export type StepOp = keyof typeof DEFINITIONS;
type ShapeOf<O extends StepOp> = ReturnType<(typeof DEFINITIONS)[O]['params']>;
type Declarations = { [O in StepOp]: z.ZodObject<ShapeOf<O>, z.core.$strict> };
export type StepParams<O extends StepOp> = z.output<Declarations[O]>;

export const STEP_OPS = Object.keys(DEFINITIONS) as [StepOp, ...StepOp[]];
export const STEPS: Readonly<Record<StepOp, AnyStep & { label: StepLabel }>> = DEFINITIONS;

/** The declarations of the parameters of each step. */
export const STEP_PARAMS = Object.fromEntries(
  Object.entries(DEFINITIONS).map(([op, { params }]) => [op, z.strictObject(params({ z, described, ...parameters }))]),
) as Declarations;
