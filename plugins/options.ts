/** What the plugins are given, and how `imagecrew optimize --in-place` is called with it. */

/** Every option has the name and the default that it has on the command line, with `_` in place of `-`. */
export interface ImagecrewOptions {
  /** Folder of what was made of images before, from the root of the project. Default `.imagecrew-cache`. */
  cache?: string;
  /** smart: the smallest file that still looks like the original. lossless: every pixel is kept, where the format can. Default `quality`. */
  mode?: 'quality' | 'smart' | 'lossless';
  /** Of mode quality, from 1 to 100. Default 80. */
  quality?: number;
  /** What a file keeps: nothing, its colour profile, all but the position, all. Default `color`. */
  metadata?: 'strip' | 'color' | 'no_gps' | 'keep';
  /** A result that saves less does not count. Default 4096. */
  min_savings_bytes?: number;
  /** The same, in percent. Default 10. */
  min_savings_percent?: number;
  /** Also compress WebP, AVIF and JPEG XL again. Default false. */
  recompress_webp?: boolean;
  /** Also minify SVG. Default false. */
  optimize_svg?: boolean;
  /** Only images whose path in the output folder matches one: globs such as `/img/**`, or `re:` and a regular expression. */
  include?: readonly string[];
  /** Not images whose path matches one. */
  exclude?: readonly string[];
}

/** The options as arguments. What is wrong with one is said by the program. */
export function argumentsOf(options: ImagecrewOptions): string[] {
  return Object.entries(options).flatMap(([name, value]: [string, unknown]) => {
    const flag = `--${name.replaceAll('_', '-')}`;
    if (value === undefined || value === false) return [];
    if (value === true) return [flag];
    // As one argument: a value may begin with a dash.
    return (Array.isArray(value) ? value : [value]).map((each) => `${flag}=${each}`);
  });
}
