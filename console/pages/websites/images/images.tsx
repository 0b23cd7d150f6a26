import type { SectionProps } from '../scan/section-props.ts';
import { ImageDetail } from './image-detail.tsx';
import { ImageList } from './image-list.tsx';
import './images.css';

export function Images(props: SectionProps) {
  const { scan, changes, part } = props;
  return part === undefined ? <ImageList {...props} /> : <ImageDetail scan={scan} changes={changes} seq={part} />;
}
