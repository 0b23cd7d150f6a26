// The methods for the operations on one image. Written by `npm run generate` from their definitions; do not edit.
// biome-ignore-all format: generated
// biome-ignore-all lint: generated
import { FileAnswer } from './answer.ts';
import type { CallOptions } from './calls.ts';
import type { ImageBytes } from './image-input.ts';
import { type FileOperation, type ImageOperation, imageOperation, type RecordOperation } from './images.ts';
import type { Transport } from './transport.ts';
import type {
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
  Recognition,
  RemoveBackgroundParams,
  StoredFaviconPack,
  UpscaleParams,
} from './types.generated.ts';

export interface CompressOptions extends CallOptions {
  /** A logo to draw as the watermark. */
  watermarkImage?: ImageBytes | undefined;
}

export interface RemoveBackgroundOptions extends CallOptions {
  /** The image behind the subject with background=image. It covers the whole canvas. */
  backgroundImage?: ImageBytes | undefined;
  /** A mask of the same shape that replaces the model's; white is the subject. */
  mask?: ImageBytes | undefined;
}

/** The operations on one image. */
export class ImageOperations {
  /** Compress, convert, resize, crop, rotate, flip, edit and watermark an image. */
  readonly compress: ImageOperation<CompressParams, CompressOptions>;
  /** Remove the background of an image (scope `ai`). */
  readonly removeBackground: ImageOperation<RemoveBackgroundParams, RemoveBackgroundOptions>;
  /** Double width and height with a super-resolution model (scope `ai`). */
  readonly upscale: ImageOperation<UpscaleParams>;
  /** Blur or pixelate faces. */
  readonly blurFaces: ImageOperation<BlurFacesParams>;
  /** Find the faces in an image (scope `ai`). */
  readonly faces: RecordOperation<FacesParams, FaceDetectionResult>;
  /** Make an ID or passport photo of exact pixel size, resolution and file size, or a sheet of them. */
  readonly idPhoto: ImageOperation<IdPhotoParams>;
  /** Edit an animated GIF, WebP or PNG. */
  readonly gif: ImageOperation<GifParams>;
  /** Build a ZIP of favicon files, a web manifest and the lines for the page head. */
  readonly favicon: FileOperation<FaviconParams, StoredFaviconPack>;
  /** Read the text in an image (scope `ai`). */
  readonly ocr: RecordOperation<OcrParams, Recognition>;
  /** Report the format, size, metadata, GPS position and fingerprints of an image. */
  readonly inspect: RecordOperation<InspectParams, InspectionRecord>;

  constructor(transport: Transport) {
    this.compress = imageOperation(transport, '/api/v1/compress');
    this.removeBackground = imageOperation(transport, '/api/v1/remove-background');
    this.upscale = imageOperation(transport, '/api/v1/upscale');
    this.blurFaces = imageOperation(transport, '/api/v1/blur-faces');
    this.faces = imageOperation(transport, '/api/v1/faces');
    this.idPhoto = imageOperation(transport, '/api/v1/id-photo');
    this.gif = imageOperation(transport, '/api/v1/gif');
    this.favicon = imageOperation(transport, '/api/v1/favicon', FileAnswer);
    this.ocr = imageOperation(transport, '/api/v1/ocr');
    this.inspect = imageOperation(transport, '/api/v1/inspect');
  }
}
