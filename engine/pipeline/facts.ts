/** What the conditions know of a source, read when it is first asked for. */
import { readFacts } from '../../codecs/facts/index.ts';
import type { FormatId } from '../../codecs/formats.ts';
import type { Header } from '../../codecs/picture.ts';
import { describeGps } from '../operations/inspect/gps.ts';
import { readTags } from '../operations/inspect/tags.ts';
import type { ConditionFacts } from './conditions.ts';

export class SourceFacts implements Omit<ConditionFacts, 'width' | 'height' | 'hasAlpha'> {
  readonly bytes: number;
  readonly format: FormatId;
  readonly animated: boolean;
  readonly #file: Uint8Array;
  #facts: ReturnType<typeof readFacts> | undefined;

  constructor(file: Uint8Array, { format, animated }: Pick<Header, 'format' | 'animated'>) {
    this.#file = file;
    this.bytes = file.length;
    this.format = format;
    this.animated = animated;
  }

  get #read(): ReturnType<typeof readFacts> {
    this.#facts ??= readFacts(this.format, this.#file, 1);
    return this.#facts;
  }

  /** A position in EXIF or XMP. */
  get hasGps(): boolean {
    const gps = describeGps(readTags(this.#read));
    return gps !== null && gps.latitude !== null && gps.longitude !== null;
  }

  get dpi(): number | undefined {
    const { density } = this.#read;
    return density ? Math.round(density.x) : undefined;
  }
}
