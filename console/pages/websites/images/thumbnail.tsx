import { useEffect, useRef, useState } from 'preact/hooks';
import type { SiteAsset } from '../types.ts';
import { thumbnailPath } from './thumbnail-path.ts';
import { useFile } from './use-file.ts';

/** Distance from the viewport at which the thumbnail is loaded. */
const MARGIN = '200px';

export interface ThumbnailProps {
  scanId: string;
  asset: SiteAsset;
  /** Size of its box, in CSS pixels. */
  size: number;
}

export function Thumbnail({ scanId, asset, size }: ThumbnailProps) {
  const box = useRef<HTMLDivElement>(null);
  const [isSeen, setSeen] = useState(false);
  const [isUnreadable, setUnreadable] = useState(false);
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true);
      },
      { rootMargin: MARGIN },
    );
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  const path = thumbnailPath(scanId, asset);
  const { url, error } = useFile(isSeen ? path : undefined);
  const isShown = url !== undefined && !isUnreadable;
  const { width, height } = fitInBox(asset, size);
  return (
    <div ref={box} class="thumb" style={{ height: `${size}px` }}>
      {isShown ? (
        <img src={url} alt="" width={width} height={height} decoding="async" onError={() => setUnreadable(true)} />
      ) : (
        <span>{path === undefined || error !== undefined || isUnreadable ? (asset.format ?? 'no image') : ''}</span>
      )}
    </div>
  );
}

/** Returns the image's size scaled down to fit a square box. Does not enlarge it. */
function fitInBox({ width, height }: Pick<SiteAsset, 'width' | 'height'>, size: number) {
  if (!width || !height) return { width: size, height: size };
  const scale = Math.min(1, size / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}
