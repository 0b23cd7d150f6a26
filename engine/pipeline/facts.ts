/** Facts of a source for the conditions, read on first use. */

import type { Size } from '../../base/geometry.ts';
import type { Header } from '../../codecs/decoded-image.ts';
import { readFacts } from '../../codecs/facts/index.ts';
import type { FormatId } from '../../codecs/formats/registry.ts';
import { describeGps } from '../operations/inspect/gps.ts';
import { readTags } from '../operations/inspect/tags.ts';
import type { ConditionFacts } from './conditions.ts';

export class SourceFacts {
  readonly bytes: number;
  readonly format: FormatId;
  readonly #animated: boolean;
  readonly #file: Uint8Array;
  #stored: ReturnType<typeof readFacts> | undefined;

  constructor(file: Uint8Array, { format, animated }: Pick<Header, 'format' | 'animated'>) {
    this.#file = file;
    this.bytes = file.length;
    this.format = format;
    this.#animated = animated;
  }

  get stored(): ReturnType<typeof readFacts> {
    this.#stored ??= readFacts(this.format, this.#file, 1);
    return this.#stored;
  }

  /** Whether EXIF or XMP contains a position. */
  get hasGps(): boolean {
    const gps = describeGps(readTags(this.stored));
    return gps !== null && gps.latitude !== null && gps.longitude !== null;
  }

  /** Rounded: PNG stores dots per metre, so 144 dpi is read back as 143.9926. */
  get dpi(): number | undefined {
    const { density } = this.stored;
    return density ? Math.round(density.x) : undefined;
  }

  /** Combines them with the facts of the image before a step. */
  before({ width, height }: Size, hasAlpha: boolean): ConditionFacts {
    const source = this;
    return {
      width,
      height,
      hasAlpha,
      bytes: this.bytes,
      format: this.format,
      animated: this.#animated,
      get hasGps() {
        return source.hasGps;
      },
      get dpi() {
        return source.dpi;
      },
    };
  }
}
