/** A service with a web server that has an image, and addresses signed with a key of its account. */
import { randomBytes } from 'node:crypto';
import { issueKey } from '../../../server/account/keys.ts';
import { withServer } from '../../support/http-server.ts';
import { signedAddress } from '../../support/image-addresses.ts';
import { type TestOptions, type TestService, withService } from '../../support/service.ts';

export interface DeliveryTest extends TestService {
  /** Address of the web server. */
  web: string;
  /** Paths that the web server was asked for. */
  asked: string[];
  key: { id: string; text: string; accountId: string };
  /** Signs an address. */
  sign(options: string, source: string): string;
  /** Requests a signed address. */
  image(options: string, source?: string, headers?: Record<string, string>): Promise<Response>;
}

/** The path at which the web server has no image. */
export const MISSING = '/missing.png';

/** @param body of every image of the web server */
export async function withDelivery(
  work: (test: DeliveryTest) => Promise<void>,
  { body = randomBytes(100), ...options }: TestOptions & { body?: Uint8Array } = {},
): Promise<void> {
  const asked: string[] = [];
  await withServer(
    (req, res) => {
      asked.push(req.url!);
      if (req.url!.startsWith(MISSING)) res.writeHead(404).end();
      else res.writeHead(200, { 'content-type': 'image/png' }).end(body);
    },
    async ({ origin: web }) => {
      const env = { IC_ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8', ...options.env };
      await withService(
        async (service) => {
          const { database } = service.services;
          const account = (await database.accounts.findByName('ben'))!;
          const issued = await issueKey(database.keys, {
            ...{
              accountId: account.id,
              name: 'website',
              mode: 'live',
              scopes: [],
              monthlyLimit: null,
              expiresAt: null,
            },
          });
          const key = { id: issued.record.id, text: issued.key, accountId: account.id };
          const sign = (pairs: string, source: string) => signedAddress(key, `/${pairs}/${sourcePart(source)}`);
          const image = (pairs: string, source = `${web}/photo.png`, headers = {}) =>
            fetch(service.origin + sign(pairs, source), { headers });
          await work({ ...service, web, asked, key, sign, image });
        },
        { ...options, env },
      );
    },
  );
}

/** Writes an address, or `store:NAME/PATH`, as the source of an address. */
export const sourcePart = (source: string): string => {
  const encoded = encodeURIComponent(source).replaceAll('%2F', '/').replaceAll('%3A', ':');
  return source.startsWith('store:') ? encoded : `plain/${encoded}`;
};

export const bytesOf = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer());

export async function codeOf(response: Response): Promise<string> {
  const { error } = (await response.json()) as { error: { code: string } };
  return `${response.status} ${error.code}`;
}
