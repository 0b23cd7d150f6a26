import type { CandidateKind, Reason } from './candidate.ts';
import { type EmbeddedSource, type Encode, percentEncode } from './embedded-source.ts';
import { withoutSpaces } from './escapes.ts';
import { namesImage } from './image-name.ts';
import type { ReferenceCollector } from './reference-collector.ts';

const WORD = /[^\s"'`()<>,;=[\]{}|*]+/g;
const NOT_IN_WORDS = /["'`()<>,;=[\]{}|*]/g;

/** Finds image addresses in the words of plain text or of an unknown language. */
export function readPlainText(
  sink: ReferenceCollector,
  layer: EmbeddedSource,
  kind: CandidateKind,
  reason: Reason,
): void {
  const encode: Encode = (text) => percentEncode(withoutSpaces(text), NOT_IN_WORDS);
  sink.within(reason, () => {
    for (const { 0: word, index: start } of layer.text.matchAll(WORD)) {
      const end = start + word.replace(/[.:!?]+$/, '').length;
      if (namesImage(layer.text.slice(start, end))) sink.add(layer, { kind, guessed: true, encode }, { start, end });
    }
  });
}
