/** The options of the plugins, and their conversion to arguments of `imagecrew optimize --in-place`. */

/** Each option has the same name and default as on the command line, with `_` instead of `-`. */
export interface ImagecrewOptions {
  /** Folder of the cache of results, relative to the root of the project. Default `.imagecrew-cache`. */
  cache?: string;
  /**
   * smart: the smallest file that still looks like the original.
   * lossless: every pixel is kept, if the format can. Default `quality`.
   */
  mode?: 'quality' | 'smart' | 'lossless';
  /** For mode quality, from 1 to 100. Default 80. */
  quality?: number;
  /** Metadata that is kept: nothing, the colour profile, all but the position, or all. Default `color`. */
  metadata?: 'strip' | 'color' | 'no_gps' | 'keep';
  /** Results that save less are not used. Default 4096. */
  min_savings_bytes?: number;
  /** The same in percent. Default 10. */
  min_savings_percent?: number;
  /** Whether to recompress WebP, AVIF and JPEG XL too. Default false. */
  recompress_webp?: boolean;
  /** Whether to minify SVG too. Default false. */
  optimize_svg?: boolean;
  /**
   * Only images whose path in the output folder matches one of these:
   * globs such as `/img/**`, or `re:` and a regular expression.
   */
  include?: readonly string[];
  /** Images whose path matches one of these are skipped. */
  exclude?: readonly string[];
}

/** Converts the options to arguments. The program reports invalid values. */
export function argumentsOf(options: ImagecrewOptions): string[] {
  return Object.entries(options).flatMap(([name, value]: [string, unknown]) => {
    const flag = `--${name.replaceAll('_', '-')}`;
    if (value === undefined || value === false) return [];
    if (value === true) return [flag];
    // In one argument, because a value may begin with a dash.
    return (Array.isArray(value) ? value : [value]).map((each) => `${flag}=${each}`);
  });
}
