/** A place of a website whose markup can be repaired in its sources: which `img` lacks what, and on which page. */
import { z } from 'zod';

/** Findings that can be fixed by editing the `img` itself. */
export const MARKUP_FINDINGS = ['missing_dimensions', 'missing_lazy', 'missing_alt', 'missing_srcset'] as const;
export type MarkupFinding = (typeof MARKUP_FINDINGS)[number];

export const markupPlaceSchema = z.object({
  /** Address of the image. */
  from: z.string(),
  /** Hash of the image as fetched by the scan; null when it could not be fetched. */
  from_sha256: z.string().nullable(),
  from_bytes: z.int().min(0).nullable(),
  /** The address as written in the page. */
  raw: z.string(),
  /** Address of the page. */
  page: z.string(),
  /** Position of the address as written, counted from 1. */
  line: z.int(),
  column: z.int(),
  /** One of the first five images of its page, or one that the page preloads: it must not be loaded lazily. */
  is_first: z.boolean(),
  findings: z.array(z.enum(MARKUP_FINDINGS)),
});

/** An `img` of a scanned page, identified by its `src`. */
export type MarkupPlace = z.output<typeof markupPlaceSchema>;
