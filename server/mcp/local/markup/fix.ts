/** What can be repaired in the tag of an `img`, and why it is not. Types and names only. */

/** Findings of a scan, in the order in which they are repaired: `missing_srcset` takes note of the others. */
export const MARKUP_FIX_KINDS = ['missing_dimensions', 'missing_lazy', 'missing_alt', 'missing_srcset'] as const;
export type MarkupFixKind = (typeof MARKUP_FIX_KINDS)[number];

/**
 * `not_an_img`: the image is named in another place than the `src` of an `img` that can be read. `unknown_attributes`: an
 * expression may give the element attributes. `size_given`, `styled`, `in_picture`, `has_srcset`: something else decides about
 * the size. `size_unknown`: the file does not say it. `stylesheet`: rules may give the image another shape once it has both sides.
 * `first_on_page`: it is one of the first images of a page. `page_not_scanned`: it may be one. `high_priority`, `lazy_by_script`:
 * the page says otherwise. `empty_alt`: right for decoration, but a link without a text leads nowhere for who cannot see it.
 * `no_width`: without a width attribute, which bounds the shown size, the best of several files cannot be told. `no_copies`: the
 * package has no smaller copies of it. `no_gain`: none of them is large enough for where the image is shown. `preloaded`: the file is
 * loaded in any case.
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

/** Attributes to be written, in their order; a reason not to; or that nothing is missing. */
export type Fix =
  | {
      attributes: readonly (readonly [name: string, value: string])[];
      /** Files of the project that they name, relative to its root. */
      targets?: readonly string[];
    }
  | { reason: MarkupSkipReason; because?: string }
  | 'nothing_missing';
