import type { FaceDetectionResult } from '../../../../client/types.generated.ts';
import { durationText } from '../../../ui/format.ts';
import type { DisplayedImage } from '../../../ui/image.ts';
import { Boxes } from '../lazy-components.tsx';
import { Table } from './table.tsx';

interface FacesRecordProps {
  record: FaceDetectionResult;
  picture: DisplayedImage | undefined | null;
}

export function FacesRecord({ record: { faces, duration_ms }, picture }: FacesRecordProps) {
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
      {picture && (
        <Boxes
          picture={picture}
          boxes={faces.map((face, index) => ({ ...face, label: `Face ${index + 1}, ${percent(face.score)} sure` }))}
        />
      )}
      {faces.length > 0 && (
        <Table
          label="Faces"
          columns={['Face', 'Sure', 'Left', 'Top', 'Width', 'Height']}
          rows={faces.map((face, index) => [index + 1, percent(face.score), face.x, face.y, face.width, face.height])}
        />
      )}
    </>
  );
}
