/** Shows a JSON result. */
import type { FaceDetectionResult, InspectionRecord, Recognition } from '../../../../client/types.generated.ts';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { Warnings } from '../../../ui/feedback.tsx';
import { durationText } from '../../../ui/format.ts';
import type { DisplayedImage } from '../../../ui/image.ts';
import { Boxes } from '../../../ui/lazy-components.tsx';
import { Table } from '../../../ui/table.tsx';
import { warningText } from '../result/labels.ts';
import type { CompletedRun } from '../use-run.ts';
import { InspectRecord } from './inspect-record.tsx';

export interface RecordResultProps {
  done: CompletedRun;
  image: DisplayedImage | undefined | null;
}

export function RecordResult({ done: { asked, answer }, image }: RecordResultProps) {
  const record: unknown = answer.record;
  switch (asked.operation.id) {
    case 'faces':
      return <FacesRecord record={record as FaceDetectionResult} image={image} />;
    case 'ocr':
      return <TextRecord record={record as Recognition} image={image} />;
    case 'inspect':
      return <InspectRecord record={record as InspectionRecord} />;
    default:
      return (
        <>
          {asked.operation.answers !== 'record' && <p>The service keeps the file, or has delivered it.</p>}
          <CodeBlock label="Record" text={JSON.stringify(record, null, 2)} />
        </>
      );
  }
}

interface FacesRecordProps {
  record: FaceDetectionResult;
  image: DisplayedImage | undefined | null;
}

function FacesRecord({ record: { faces, duration_ms }, image }: FacesRecordProps) {
  const percent = (score: number) => `${Math.round(score * 100)}%`;
  return (
    <>
      <p class="saved">
        <strong>{faces.length}</strong>
        <span>
          {faces.length === 1 ? 'face' : 'faces'} in {durationText(duration_ms)}
        </span>
      </p>
      {faces.length === 0 && <p>Small, turned-away and covered faces can be missed.</p>}
      {image && (
        <Boxes
          image={image}
          boxes={faces.map((face, index) => ({ ...face, label: `Face ${index + 1}, ${percent(face.score)} sure` }))}
        />
      )}
      {faces.length > 0 && (
        <Table
          label="Faces"
          class="record-table"
          columns={['Face', 'Sure', 'Left', 'Top', 'Width', 'Height']}
          rows={faces.map((face, index) => [index + 1, percent(face.score), face.x, face.y, face.width, face.height])}
        />
      )}
    </>
  );
}

function TextRecord({ record, image }: { record: Recognition; image: DisplayedImage | undefined | null }) {
  const { text, confidence, words, warnings, duration_ms } = record;
  return (
    <>
      <p class="saved">
        <strong>{confidence}%</strong>
        <span>sure of the text, in {durationText(duration_ms)}</span>
      </p>
      <Warnings texts={warnings.map(warningText)} />
      {text === '' ? <p>No text was found.</p> : <CodeBlock label="Text of the image" text={text} />}
      {words && image ? (
        <Boxes
          image={image}
          boxes={words.map((word) => ({ ...word, label: `${word.text}, ${word.confidence}% confidence` }))}
        />
      ) : (
        text !== '' && <p class="help">Switch “Words” on to see where each word stands.</p>
      )}
    </>
  );
}
