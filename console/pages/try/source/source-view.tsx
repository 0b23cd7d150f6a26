import { Spinner } from '../../../ui/feedback.tsx';
import type { DisplayedImage } from '../../../ui/image.ts';
import type { Source } from '../request/call.ts';

interface SourceViewProps {
  source: Source;
  picture: DisplayedImage | undefined | null;
}

/** Shows the source image until there is a result. */
export function SourceView({ source, picture }: SourceViewProps) {
  if (picture === null) return <Spinner label="Loading the picture" />;
  if (!picture)
    return (
      <p class="card">
        {source.kind === 'url'
          ? 'The service fetches the image when you run the operation.'
          : 'This browser cannot show this file. The service may well read it: run the operation.'}
      </p>
    );
  return (
    <figure class="alone">
      <img src={picture.url} alt="Original" width={picture.width} height={picture.height} />
    </figure>
  );
}
