import type { Config } from '../config.ts';
import { AddressPolicy } from '../http/addresses.ts';
import { checkAddress } from '../http/outgoing.ts';
import { httpNotAllowed } from './errors.ts';

/**
 * Checks the URL of a webhook as far as possible without a look-up.
 * The address that a name resolves to is checked at each attempt.
 * @returns the URL to store
 * @throws Failure 400 `invalid_url` or `url_not_allowed`
 */
export function checkWebhookUrl(
  text: string,
  { allowHttpWebhooks, allowPrivateAddresses }: Pick<Config, 'allowHttpWebhooks' | 'allowPrivateAddresses'>,
): string {
  const url = checkAddress(text, 'webhook_url', new AddressPolicy(allowPrivateAddresses));
  if (url.protocol !== 'https:' && !allowHttpWebhooks) throw httpNotAllowed();
  return url.href;
}
