/** What the scripts of a page show of themselves: they are not run, and those of other files are not read. */
import { nameNumber } from '../names.ts';

/** Names that inline scripts may give to elements; more of them count as any. */
const MAX_WORDS = 3000;

const EXECUTABLE = /^(?:|module|(?:text|application)\/(?:x-)?(?:java|ecma)script)$/;
/** They make style sheets in the browser. */
const STYLE_ENGINES =
  /tailwind|unocss|twind|windicss|(?:^|\/)less(?:[.@-]|$)|emotion|styled-components|stitches|aphrodite/i;
/** Writes style sheets or sizes. */
const WRITES_STYLES =
  /insertRule|adoptedStyleSheets|replaceSync|cssText|<style|stylesheet|createElement\(\s*["'`](?:style|link)["'`]|["'`]style["'`]\s*,|\.style\s*\[|\.style\.(?:setProperty|width|height|min|flex|transform|zoom|scale|inlineSize|blockSize)|\.css\(|\.(?:width|height)\s*(?:=[^=]|\(\s*[^)\s])/i;

/** Gives elements other names. */
const GIVES_NAMES = /classList|\.className|(?:add|toggle)Class\(|setAttribute\(\s*["'`](?:class|id)["'`]|\.id\s*=/;

/** Gathers from the scripts of one page. */
export class PageScripts {
  /** There are scripts, of which not everything can be known. */
  hasScripts = false;
  /** Some are in files of their own. */
  hasFiles = false;
  isStyling = false;
  readonly #words = new Set<string>();

  /**
   * Takes note of an element `script`.
   * @returns whether its text, if it has any, is a script
   */
  element(type: string | undefined, src: string | null): boolean {
    if (!EXECUTABLE.test(type ?? '')) return false;
    this.hasScripts = true;
    if (src === null) return true;
    this.hasFiles = true;
    if (STYLE_ENGINES.test(src)) this.isStyling = true;
    return false;
  }

  /** Takes note of what an element does when it has loaded. */
  handler(script: string): void {
    this.hasScripts = true;
    if (/style|class|width|height/i.test(script)) this.isStyling = true;
  }

  /** Takes note of the text of a script. */
  text(script: string): void {
    if (WRITES_STYLES.test(script)) this.isStyling = true;
    if (!GIVES_NAMES.test(script)) return;
    for (const [word] of script.matchAll(/[\w-]+/g)) {
      if (this.#words.size > MAX_WORDS) return;
      this.#words.add(word);
    }
  }

  /** Names that it may give to any element; undefined where there are too many. */
  get names(): number[] | undefined {
    if (this.#words.size > MAX_WORDS) return undefined;
    return [...this.#words].flatMap((word) => [nameNumber(`.${word}`), nameNumber(`#${word}`)]);
  }
}
