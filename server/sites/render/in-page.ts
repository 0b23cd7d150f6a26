/**
 * What is run inside of a page. The functions are sent to the browser as text: they use nothing from around them, and name no
 * function inside, which a loader of sources would wrap.
 */

/** An image as one window shows it. */
export interface ShownImage {
  /** Absolute, of the file that the browser has chosen. */
  url: string;
  tag: string;
  /** CSS pixels of its box; with what transforms make of it. */
  width: number;
  height: number;
  /** Of the file; 0 where it is not known. */
  naturalWidth: number;
  naturalHeight: number;
}

/** Scrolls through the page, as far as it is `screens` high at most, so that lazy images load, and back to its top. */
export async function scrollThrough(screens: number): Promise<void> {
  for (let screen = 0; screen < screens; screen += 1) {
    window.scrollTo(0, screen * window.innerHeight);
    // What observes the window is told in the frame after the next.
    for (let frame = 0; frame < 2; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
    if ((screen + 1) * window.innerHeight >= document.documentElement.scrollHeight) break;
  }
  window.scrollTo(0, 0);
  for (let frame = 0; frame < 2; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
}

/** Images of the page that have a box, those in open shadow trees too. */
export function shownImages(most: number): ShownImage[] {
  const found: ShownImage[] = [];
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
