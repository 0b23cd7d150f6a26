import type { Config } from '../config.ts';
import { AddressPolicy } from '../http/addresses.ts';
import { checkAddress } from '../http/outgoing.ts';
import { httpNotAllowed } from './errors.ts';

/**
 * Checks where a webhook is to be sent, as far as that goes without a look-up: what a name resolves to is checked at each
 * attempt.
 * @returns the address as it is kept
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
