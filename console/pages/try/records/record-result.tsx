/** Shows a JSON result. */
import type { FaceDetectionResult, InspectionRecord, Recognition } from '../../../../client/types.generated.ts';
import { CodeBlock } from '../../../ui/code-block.tsx';
import type { DisplayedImage } from '../../../ui/image.ts';
import type { CompletedRun } from '../use-run.ts';
import { FacesRecord } from './faces-record.tsx';
import { InspectRecord } from './inspect-record.tsx';
import { TextRecord } from './text-record.tsx';

export interface RecordResultProps {
  done: CompletedRun;
  picture: DisplayedImage | undefined | null;
}

export function RecordResult({ done: { asked, answer }, picture }: RecordResultProps) {
  const record: unknown = answer.record;
  switch (asked.operation.id) {
    case 'faces':
      return <FacesRecord record={record as FaceDetectionResult} picture={picture} />;
    case 'ocr':
      return <TextRecord record={record as Recognition} picture={picture} />;
    case 'inspect':
      return <InspectRecord record={record as InspectionRecord} />;
    default:
      return (
        <>
          <p>The service keeps the file, or has delivered it. This is what it says of it.</p>
          <CodeBlock label="Record" text={JSON.stringify(record, null, 2)} />
        </>
      );
  }
}
