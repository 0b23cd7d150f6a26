/**
 * The models that the service knows: their purposes, their sources and their checksums. Facts and checksums are from
 * the projects' own releases. Main-thread safe.
 */

export const MODEL_PURPOSES = ['background', 'faces', 'upscale'] as const;
export type ModelPurpose = (typeof MODEL_PURPOSES)[number];

/** Also those whose models come only with the package. */
export const PURPOSES = [...MODEL_PURPOSES, 'ocr'] as const;
export type Purpose = (typeof PURPOSES)[number];

/** One file that is accepted as the model. */
export interface ModelFile {
  bytes: number;
  /** Hexadecimal. */
  sha256: string;
}

export interface CatalogueModel {
  id: string;
  purpose: ModelPurpose;
  /** URL that `models pull` fetches. */
  address: string;
  /** The file at the address comes first, followed by other builds of the same weights. */
  files: readonly [ModelFile, ...ModelFile[]];
  licence: string;
  /** What an operator should read before installing it. */
  notice?: string;
  /** Fetched at the first start of a service that can reach its address. */
  default: boolean;
}

const REMBG = 'https://github.com/danielgatis/rembg/releases/download/v0.0.0';

/** Within a purpose the best model comes first. The first one that is installed is used. */
export const CATALOGUE: readonly CatalogueModel[] = [
  {
    id: 'birefnet-lite',
    purpose: 'background',
    address:
      'https://github.com/ZhengPeng7/BiRefNet/releases/download/v1/BiRefNet-general-bb_swin_v1_tiny-epoch_232.onnx',
    files: [{ bytes: 224_005_088, sha256: '5600024376f572a557870a5eb0afb1e5961636bef4e1e22132025467d0f03333' }],
    licence: 'MIT',
    notice: 'Trained on data sets whose own terms limit some uses. Slow on a small machine.',
    default: false,
  },
  {
    id: 'isnet-general-use',
    purpose: 'background',
    address: `${REMBG}/isnet-general-use.onnx`,
    files: [{ bytes: 178_648_008, sha256: '60920e99c45464f2ba57bee2ad08c919a52bbf852739e96947fbb4358c0d964a' }],
    licence: 'Apache-2.0 for the code; the terms of the weights are unclear',
    notice: 'The terms of the weights are not stated by their authors.',
    default: false,
  },
  {
    id: 'silueta',
    purpose: 'background',
    address: `${REMBG}/silueta.onnx`,
    files: [{ bytes: 44_173_029, sha256: '75da6c8d2f8096ec743d071951be73b4a8bc7b3e51d9a6625d63644f90ffeedb' }],
    licence: 'Apache-2.0',
    default: false,
  },
  {
    id: 'u2netp',
    purpose: 'background',
    address: `${REMBG}/u2netp.onnx`,
    files: [
      { bytes: 4_574_861, sha256: '309c8469258dda742793dce0ebea8e6dd393174f89934733ecc8b14c76f4ddd8' },
      // The same weights in half precision, with free sizes and one output.
      { bytes: 2_298_115, sha256: 'a83919c794613bb7f6ed24eff05d6fd995b3a1715dfbeb50cdf721f384a9999a' },
    ],
    licence: 'Apache-2.0',
    default: true,
  },
  {
    id: 'yunet-n',
    purpose: 'faces',
    address:
      'https://raw.githubusercontent.com/ShiqiYu/libfacedetection.train/02246e79b1e976c83d1e135a85e0628120c93769/onnx/yunet_n_dynamic.onnx',
    files: [{ bytes: 322_906, sha256: '104ee26c71d5c270ce79a6b3dced91c91013260d29a6bf18f9296c5b8c4c2b12' }],
    licence: 'Apache-2.0',
    default: true,
  },
  {
    id: 'swin2sr-lightweight-x2',
    purpose: 'upscale',
    address: 'https://huggingface.co/Xenova/swin2SR-lightweight-x2-64/resolve/main/onnx/model.onnx',
    files: [{ bytes: 8_078_888, sha256: 'c2abbfe0cc8e685b5e11964970f8ebe3d24072e904fd5545a30ac31ec1e110db' }],
    licence: 'Apache-2.0',
    notice: 'Better than the upscaler of the package, and many times slower.',
    default: false,
  },
];
