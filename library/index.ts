/** The exports of `imagecrew`: the operations in this process, without a server. */
export { ImagecrewError } from '../client/errors.ts';
export type {
  BlurFacesParams,
  CompressParams,
  FaceDetectionResult,
  FacesParams,
  FaviconParams,
  GifParams,
  IdPhotoParams,
  InspectionRecord,
  InspectParams,
  OcrParams,
  Pipeline,
  Recognition,
  RemoveBackgroundParams,
  UpscaleParams,
} from '../client/types.generated.ts';
export { createEngine } from './engine.ts';
export type {
  EngineOptions,
  ImageEngine,
  ImageSource,
  Operations,
  PipelineImage,
  PipelineOptions,
  ProcessedImage,
  StepResult,
  ZipFile,
} from './types.ts';
