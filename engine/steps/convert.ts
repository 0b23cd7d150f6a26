import { invalidParameter } from '../../base/failure.ts';
import { compress } from './compress.ts';
import { defineStep, sameSize } from './step.ts';

export const convert = defineStep({
  label: { name: 'Convert', hint: 'Write it in another format.', group: 'File', place: 2 },
  params(declare) {
    const { quality, mode, format } = compress.params(declare);
    return { quality, mode, format: format.unwrap() };
  },
  check({ mode }) {
    if (mode === 'target')
      throw invalidParameter('quality, smart or lossless, because only compress has target_bytes,', 'mode', mode);
  },
  effect: (_params, before) => sameSize(before, true),
  isEncoding: true,
  encoding: (params) => params,
});
