/**
 * Functions that run inside a page. They are sent to the browser as text, so they must not use anything outside, and
 * must not contain named functions, which a source loader would wrap.
 */

/** An image as displayed in one viewport. */
export interface DisplayedImage {
  /** Absolute address of the file that the browser has chosen. */
  url: string;
  tag: string;
  /** Size of its box in CSS pixels, including transforms. */
  width: number;
  height: number;
  /** Size of the file in pixels; 0 when unknown. */
  naturalWidth: number;
  naturalHeight: number;
}

/** Scrolls through at most `screens` screens of the page, so that lazy images load, and back to its top. */
export async function scrollThrough(screens: number): Promise<void> {
  for (let screen = 0; screen < screens; screen += 1) {
    window.scrollTo(0, screen * window.innerHeight);
    // Observers of the viewport are notified in the frame after the next.
    for (let frame = 0; frame < 2; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
    if ((screen + 1) * window.innerHeight >= document.documentElement.scrollHeight) break;
  }
  window.scrollTo(0, 0);
  for (let frame = 0; frame < 2; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
}

/** Images of the page that have a box, including those in open shadow trees. */
export function readDisplayedImages(most: number): DisplayedImage[] {
  const found: DisplayedImage[] = [];
  const roots: (Document | ShadowRoot)[] = [document];
  for (const root of roots) {
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot) roots.push(element.shadowRoot);
      let url = '';
      let natural = { width: 0, height: 0 };
      if (element instanceof HTMLImageElement) {
        url = element.currentSrc;
        natural = { width: element.naturalWidth, height: element.naturalHeight };
      } else if (element instanceof HTMLVideoElement) url = element.poster;
      else if (element instanceof HTMLInputElement && element.type === 'image') url = element.src;
      else if (element instanceof SVGImageElement && element.href.baseVal)
        url = new URL(element.href.baseVal, element.baseURI).href;
      if (!/^https?:/.test(url) || url.length > 8192) continue;
      const { width, height } = element.getBoundingClientRect();
      if (width === 0 || height === 0) continue;
      const tag = element.localName;
      found.push({ url, tag, width, height, naturalWidth: natural.width, naturalHeight: natural.height });
      if (found.length >= most) return found;
    }
  }
  return found;
}
