/** The markup fixes of an `img`, and the reasons to skip one. */

/** Findings of a scan, in the order of their fixes: `missing_srcset` depends on the others. */
export const MARKUP_FIX_KINDS = ['missing_dimensions', 'missing_lazy', 'missing_alt', 'missing_srcset'] as const;
export type MarkupFixKind = (typeof MARKUP_FIX_KINDS)[number];

/**
 * `not_an_img`: the image is not in the `src` of an `img` that can be parsed. `unknown_attributes`: an expression may
 * add attributes to the element. `size_given`, `styled`, `in_picture`, `has_srcset`: something else determines the
 * size. `size_unknown`: the file does not contain the size. `stylesheet`: CSS rules may distort the image once it has
 * both attributes. `first_on_page`: it is one of the first images of a page. `page_not_scanned`: it may be one of the
 * first. `high_priority`, `lazy_by_script`: the page sets a priority or loads the image by script. `empty_alt`: correct
 * for decoration, but without alt text a link has no text for screen readers. `no_width`: without a width attribute,
 * which limits the displayed size, the best file cannot be chosen. `no_copies`: the package has no smaller copies of
 * the image. `no_gain`: no smaller copy is large enough for the displayed size. `preloaded`: the file is preloaded and
 * thus loaded in any case.
 */
export type MarkupSkipReason =
  | 'not_an_img'
  | 'unknown_attributes'
  | 'size_given'
  | 'styled'
  | 'in_picture'
  | 'has_srcset'
  | 'size_unknown'
  | 'stylesheet'
  | 'first_on_page'
  | 'page_not_scanned'
  | 'high_priority'
  | 'lazy_by_script'
  | 'empty_alt'
  | 'no_width'
  | 'no_copies'
  | 'no_gain'
  | 'preloaded';

/** The attributes to add, in order; or the reason to skip; or that nothing is missing. */
export type Fix =
  | {
      attributes: readonly (readonly [name: string, value: string])[];
      /** Project files named in the attributes, relative to the root. */
      targets?: readonly string[];
    }
  | { reason: MarkupSkipReason; because?: string }
  | 'nothing_missing';
