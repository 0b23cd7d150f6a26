/**
 * Background models: the input is a small square image, the output the likelihood of each pixel to belong to the
 * subject. The numbers are those of the projects' own inference code.
 */
import type { LoadedModel } from './runtime.ts';

interface Preparation {
  /** Side in pixels of the square that the model takes. The image is stretched to it. */
  side: number;
  /** Per channel, for samples from 0 to 1. */
  mean: readonly [number, number, number];
  deviation: readonly [number, number, number];
  /** Whether the output is a logit. */
  sigmoid: boolean;
}

/** Statistics of ImageNet, on which these networks were trained. */
const IMAGENET = { mean: [0.485, 0.456, 0.406], deviation: [0.229, 0.224, 0.225] } as const;

/**
 * By id in the catalogue. From xuebinqin/U-2-Net `data_loader.py`, xuebinqin/DIS `Inference.py` and ZhengPeng7/BiRefNet
 * `inference.py`, as danielgatis/rembg calls them (`rembg/sessions/`). u2netp was measured here, and finds less at 512
 * than at 320. The others are as in that code and have not been run.
 */
const PREPARATIONS: Readonly<Record<string, Preparation>> = {
  u2netp: { side: 320, ...IMAGENET, sigmoid: false },
  silueta: { side: 320, ...IMAGENET, sigmoid: false },
  'isnet-general-use': { side: 1024, mean: [0.5, 0.5, 0.5], deviation: [1, 1, 1], sigmoid: false },
  'birefnet-lite': { side: 1024, ...IMAGENET, sigmoid: true },
};

export interface SubjectMask {
  /** 1 is subject, 0 background, row by row. Stretched to that range. */
  data: Float32Array;
  width: number;
  height: number;
  /** The highest likelihood before stretching, 0 to 1. Low if nothing stands out. */
  peak: number;
}

export interface BackgroundModel {
  /** Side of the input in pixels. */
  side: number;
  /** @param samples RGB, `side` x `side` */
  find(samples: Uint8Array): Promise<SubjectMask>;
}

/** @param model a model of the purpose `background` */
export function subjectFinder(model: LoadedModel): BackgroundModel {
  const preparation = PREPARATIONS[model.id];
  if (!preparation) throw new Error(`Expected a background model but received ${model.id}`);
  const { side, sigmoid } = preparation;
  return {
    side,
    async find(samples) {
      // Models with several outputs return the final one first, then those of intermediate stages.
      const [scores] = await model.run({ data: tensorOf(samples, preparation), shape: [1, 3, side, side] });
      const [height = side, width = side] = scores?.shape.slice(-2) ?? [];
      const data = scores?.data.subarray(0, width * height) ?? new Float32Array(width * height);
      return { ...stretch(sigmoid ? data.map(logistic) : data), width, height };
    },
  };
}

/**
 * Returns the red, green and blue planes, scaled by the brightest sample and by the statistics of the training data.
 */
function tensorOf(samples: Uint8Array, { side, mean, deviation }: Preparation): Float32Array {
  const plane = side * side;
  const tensor = new Float32Array(3 * plane);
  // At least 1, so that a black image is not divided by 0.
  let brightest = 1;
  for (let at = 0; at < samples.length; at += 1) brightest = Math.max(brightest, samples[at]!);
  for (const channel of [0, 1, 2] as const) {
    const scale = 1 / (brightest * deviation[channel]);
    const shift = mean[channel] / deviation[channel];
    for (let at = 0; at < plane; at += 1) {
      tensor[channel * plane + at] = samples[3 * at + channel]! * scale - shift;
    }
  }
  return tensor;
}

const logistic = (value: number) => 1 / (1 + Math.exp(-value));

function stretch(scores: Float32Array): { data: Float32Array; peak: number } {
  let lowest = 1;
  let peak = 0;
  // In loops: `map` with a function call per score takes ten times as long.
  for (let at = 0; at < scores.length; at += 1) {
    const score = scores[at]!;
    lowest = Math.min(lowest, score);
    peak = Math.max(peak, score);
  }
  const scale = 1 / Math.max(peak - lowest, Number.EPSILON);
  const data = new Float32Array(scores.length);
  for (let at = 0; at < data.length; at += 1) data[at] = (scores[at]! - lowest) * scale;
  return { data, peak };
}
