import type { Recognition } from '../../../../client/types.generated.ts';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { Notice } from '../../../ui/feedback.tsx';
import { durationText } from '../../../ui/format.ts';
import type { DisplayedImage } from '../../../ui/image.ts';
import { Boxes } from '../lazy-components.tsx';
import { warningText } from '../result/labels.ts';

interface TextRecordProps {
  record: Recognition;
  picture: DisplayedImage | undefined | null;
}

export function TextRecord({ record, picture }: TextRecordProps) {
  const { text, confidence, words, warnings, duration_ms } = record;
  return (
    <>
      <p class="saved">
        <strong>{confidence}%</strong>
        <span>sure of the text, in {durationText(duration_ms)}</span>
      </p>
      {warnings.map((code) => (
        <Notice key={code} kind="warning">
          {warningText(code)}
        </Notice>
      ))}
      {text === '' ? <p>No text was found.</p> : <CodeBlock label="Text of the picture" text={text} />}
      {words && picture ? (
        <Boxes
          picture={picture}
          boxes={words.map((word) => ({ ...word, label: `${word.text}, ${word.confidence}% confidence` }))}
        />
      ) : (
        text !== '' && <p class="help">Switch “Words” on to see where each word stands.</p>
      )}
    </>
  );
}
