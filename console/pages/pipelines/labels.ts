/** Labels and descriptions of steps and conditions. */
import type { Condition } from '../../../client/types.generated.ts';
import { choiceLabel, labelOf } from '../../parameters/labels.ts';
import type { Values } from '../../parameters/values.ts';

interface OpLabel {
  name: string;
  hint: string;
}

const OPS: Readonly<Record<string, OpLabel>> = {
  orient: { name: 'Orient', hint: 'Turn it upright. This is always done first; listing it only says so.' },
  crop: { name: 'Crop', hint: 'Cut to an area, a ratio or a circle.' },
  flip: { name: 'Flip', hint: 'Mirror it.' },
  rotate: { name: 'Rotate', hint: 'Turn it by any angle.' },
  resize: { name: 'Resize', hint: 'To a width, a height, a percentage or a print size.' },
  pad: { name: 'Pad', hint: 'Put it on a larger ground.' },
  adjust: { name: 'Adjust', hint: 'Brightness, contrast, colours, sharpness.' },
  border: { name: 'Border', hint: 'A line around it.' },
  watermark: { name: 'Watermark', hint: 'A text or a logo on it.' },
  remove_background: { name: 'Remove background', hint: 'Keep the subject alone. Uses a model.' },
  upscale: { name: 'Upscale', hint: 'Twice as large, with new detail. Uses a model.' },
  blur_faces: { name: 'Blur faces', hint: 'Find faces and hide them. Uses a model.' },
  id_photo: { name: 'ID photo', hint: 'A passport photo and its file. The last step.' },
  gif: { name: 'GIF', hint: 'Cut, shorten or slow down an animation. The only step that changes it.' },
  metadata: { name: 'Metadata', hint: 'What of place, camera and colours stays in the file.' },
  convert: { name: 'Convert', hint: 'Write it in another format.' },
  compress: { name: 'Compress', hint: 'Write it small, by quality or to a size.' },
};

/** Returns the label of an operation, or its own name if it has no label here yet. */
export const opName = (op: string): string => OPS[op]?.name ?? labelOf(op);
export const opHint = (op: string): string => OPS[op]?.hint ?? '';

/** Returns a text such as `width 800, fit cover`. */
export function paramsText(params: Values): string {
  return Object.entries(params)
    .map(([name, value]) => {
      const label = labelOf(name);
      const start = /^[A-Z]{2}/.test(label) ? label : label.charAt(0).toLowerCase() + label.slice(1);
      if (value === true) return start;
      return `${start} ${typeof value === 'string' ? choiceLabel(name, value) : JSON.stringify(value)}`;
    })
    .join(', ');
}

const REASONS: Readonly<Record<string, string>> = {
  condition: 'its condition does not hold',
  no_change: 'it would change nothing',
  earlier_encoding_used: 'an earlier step writes the file',
};

/** Returns why a step is skipped. */
export const reasonText = (reason: string): string => REASONS[reason] ?? reason;

const CONDITIONS: Readonly<Record<string, string>> = {
  animated: 'Animated',
  any: 'Any of several',
  format: 'Format is',
  has_alpha: 'See-through pixels',
  has_gps: 'Place in the metadata',
  not: 'Not',
  not_format: 'Format is not',
};
const BOUNDED: Readonly<Record<string, string>> = { bytes: 'Bytes of the file', dpi: 'DPI', ratio: 'Width by height' };

/** Returns a label such as `Width at least`. */
export function conditionLabel(name: string): string {
  const bound = /^(min|max)_(.+)$/.exec(name);
  if (!bound) return CONDITIONS[name] ?? labelOf(name);
  const [, which, of] = bound;
  return `${BOUNDED[of!] ?? labelOf(of!)} ${which === 'min' ? 'at least' : 'at most'}`;
}

/** Returns a text such as `width at least 1000 and format is png or gif`. */
export function conditionText(condition: Condition): string {
  const texts = Object.entries(condition).map(([name, value]) => {
    if (name === 'any') return `any of (${(value as Condition[]).map(conditionText).join('; ')})`;
    if (name === 'not') return `not (${conditionText(value as Condition)})`;
    const label = conditionLabel(name);
    const start = /^[A-Z]{2}/.test(label) ? label : label.charAt(0).toLowerCase() + label.slice(1);
    if (typeof value === 'boolean') return value ? start : `no ${start}`;
    return `${start} ${[value].flat().join(' or ')}`;
  });
  return texts.length === 0 ? 'always' : texts.join(' and ');
}
