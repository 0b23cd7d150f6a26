/** Findings about the places that use an image: what their markup lacks. */
import { REFERENCE_FAULTS, type ReferenceFault } from '../../../storage/records/site-reference-faults.ts';
import { isFetched, type Rule, timesText } from './finding.ts';

const MESSAGES: Readonly<Record<ReferenceFault, (places: string) => string>> = {
  mixed_content: (places) => `${places} on an https page: browsers warn of this http address or do not load it.`,
  missing_srcset: (places) => `${places} without srcset: small screens load all of this large image.`,
  missing_dimensions: (places) => `${places} without width and height: the page jumps when the image arrives.`,
  missing_lazy: (places) => `${places} far down a page without loading="lazy": the image is loaded before it is seen.`,
  lazy_first: (places) => `${places} at the top of a page with loading="lazy": the image appears late.`,
  missing_alt: (places) => `${places} without alt: who cannot see the image does not learn what it shows.`,
  upscaled: (places) => `${places} larger than the image is: it looks blurred.`,
};

const ruleOf =
  (code: ReferenceFault): Rule =>
  (view) => {
    const fault = view.places.faults.get(code);
    if (!fault || (code === 'upscaled' && !isFetched(view))) return undefined;
    return {
      code,
      message: MESSAGES[code](timesText(fault.places, 'place')),
      references: fault.listed,
      data: { places: fault.places },
    };
  };

export const markupRules: readonly Rule[] = REFERENCE_FAULTS.map(ruleOf);
