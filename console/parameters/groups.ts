/** Groups the parameters of an operation for its form. */
import type { Parameter } from '../../server/console/declaration-types.ts';

export interface Group {
  title: string;
  /** True if the group is open at first. */
  isOpen: boolean;
  parameters: readonly Parameter[];
}

type Named = readonly [title: string, names: string, isOpen?: true];

const SOURCE: Named = ['Source', 'page filename'];
const RESULT: Named = ['Result', 'fingerprint score mask output deliver_to'];

/** Names of parameters, in the order of the form. Names that an operation does not have are ignored. */
const GROUPS: Readonly<Record<string, readonly Named[]>> = {
  compress: [
    ['Format and size of file', 'format mode quality target_bytes', true],
    ['Size', 'width height percent fit enlarge max_width max_height print_width print_height dpi'],
    ['Crop and turn', 'crop crop_ratio crop_gravity crop_shape flip rotate'],
    ['Adjust', 'brightness contrast saturation exposure grayscale enhance sharpen denoise blur border border_color'],
    ['Watermark', 'watermark_text watermark_color watermark_opacity watermark_size watermark_position'],
    ['Metadata', 'metadata'],
    ['Padding and background', 'min_bytes background'],
  ],
  upscale: [['Settings', 'scale format', true]],
  favicon: [['Settings', 'name short_name theme_color background padding', true]],
  gif: [
    ['Time', 'trim_start trim_end speed reverse every loop', true],
    ['Size', 'width crop', true],
    ['File', 'format colours', true],
  ],
  'id-photo': [
    ['Photo', 'preset crop background remove_background sheet', true],
    ['Own size', 'width_mm height_mm width height dpi'],
    ['File', 'format min_bytes max_bytes'],
  ],
  'remove-background': [
    ['Background', 'background gradient_from gradient_to blur', true],
    ['Edge', 'refine feather', true],
    ['Frame', 'frame subject_fill'],
    ['File', 'format', true],
  ],
  'blur-faces': [['Settings', 'effect strength format boxes', true]],
  ocr: [['Settings', 'lang words', true]],
};

export function groupParameters(operation: string, parameters: readonly Parameter[]): Group[] {
  return [...(GROUPS[operation] ?? []), SOURCE, RESULT]
    .map(([title, names, isOpen = false]) => ({
      title,
      isOpen,
      parameters: names.split(' ').flatMap((name) => parameters.filter((parameter) => parameter.name === name)),
    }))
    .filter((group) => group.parameters.length > 0);
}
