/** Collects what the scripts of a page reveal about themselves. Scripts are not run, and script files are not read. */
import { nameNumber } from '../names.ts';

/** Maximum number of names that inline scripts may give to elements; more count as any name. */
const MAX_NAMES = 3000;

const EXECUTABLE = /^(?:|module|(?:text|application)\/(?:x-)?(?:java|ecma)script)$/;
/** Libraries that make style sheets in the browser. */
const STYLE_ENGINES =
  /tailwind|unocss|twind|windicss|(?:^|\/)less(?:[.@-]|$)|emotion|styled-components|stitches|aphrodite/i;
/** Matches code that writes style sheets or sizes. */
const WRITES_STYLES =
  /insertRule|adoptedStyleSheets|replaceSync|cssText|<style|stylesheet|createElement\(\s*["'`](?:style|link)["'`]|["'`]style["'`]\s*,|\.style\s*\[|\.style\.(?:setProperty|width|height|min|flex|transform|zoom|scale|inlineSize|blockSize)|\.css\(|\.(?:width|height)\s*(?:=[^=]|\(\s*[^)\s])/i;

/** Matches code that gives elements other names. */
const GIVES_NAMES = /classList|\.className|(?:add|toggle)Class\(|setAttribute\(\s*["'`](?:class|id)["'`]|\.id\s*=/;

/** Collects facts from the scripts of one page. */
export class PageScripts {
  /** Whether the page has scripts, whose effects cannot be fully known. */
  hasScripts = false;
  /** Whether some scripts are in separate files. */
  hasFiles = false;
  isStyling = false;
  readonly #names = new Set<string>();

  /**
   * Records a `script` element.
   * @returns whether the element's text is script code
   */
  element(type: string | undefined, src: string | null): boolean {
    if (!EXECUTABLE.test(type ?? '')) return false;
    this.hasScripts = true;
    if (src === null) return true;
    this.hasFiles = true;
    if (STYLE_ENGINES.test(src)) this.isStyling = true;
    return false;
  }

  /** Records the `onload` handler of an element. */
  handler(script: string): void {
    this.hasScripts = true;
    if (/style|class|width|height/i.test(script)) this.isStyling = true;
  }

  /** Records the text of a script. */
  text(script: string): void {
    if (WRITES_STYLES.test(script)) this.isStyling = true;
    if (!GIVES_NAMES.test(script)) return;
    for (const [word] of script.matchAll(/[\w-]+/g)) {
      if (this.#names.size > MAX_NAMES) return;
      this.#names.add(word);
    }
  }

  /** Names that the scripts may give to any element; undefined if there are too many. */
  get names(): number[] | undefined {
    if (this.#names.size > MAX_NAMES) return undefined;
    return [...this.#names].flatMap((word) => [nameNumber(`.${word}`), nameNumber(`#${word}`)]);
  }
}
