import type { SectionProps } from '../scan/section-props.ts';
import { PageDetail } from './page-detail.tsx';
import { PageList } from './page-list.tsx';
import './pages.css';

export function Pages(props: SectionProps) {
  const { scan, part } = props;
  return part === undefined ? <PageList {...props} /> : <PageDetail scan={scan} seq={part} />;
}
