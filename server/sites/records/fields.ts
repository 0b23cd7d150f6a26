/** Fields that the records of scans have in common. */
import { z } from 'zod';

export const percent = () => z.number().min(0).max(100);
export const scanError = z
  .object({ code: z.string().meta({ examples: ['url_fetch_failed'] }), message: z.string() })
  .meta({ id: 'SiteError' })
  .nullable()
  .meta({ description: 'When the status is failed.' });
export const counts = (description: string) => z.record(z.string(), z.int().min(0)).meta({ description });

/** Data needed to make records. */
export interface RecordContext {
  /** Public address of the service, without a trailing slash. */
  baseUrl: string;
  /** Time in milliseconds. */
  now: number;
}

export const errorOf = ({ errorCode, errorMessage }: { errorCode: string | null; errorMessage: string | null }) =>
  errorCode === null ? null : { code: errorCode, message: errorMessage ?? '' };
