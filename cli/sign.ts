/** `imagecrew sign`: signs the address of an image. Needs no service and no data folder. */
import type { Command } from 'commander';
import { expected, Failure } from '../base/failure.ts';
import { signImageAddress } from '../client/image-address.ts';
import { parseAddress } from '../server/image-delivery/address.ts';
import { parseOptions } from '../server/image-delivery/options.ts';
import { parseSource } from '../server/image-delivery/source.ts';
import type { Io } from './io.ts';

const KEY_VARIABLE = 'IMAGECREW_KEY';

interface SignOptions {
  keyId: string;
  options?: string;
  baseUrl?: string;
}

export function addSignCommand(program: Command, io: Io): void {
  program
    .command('sign')
    .description('sign the address of an image, for <img src>')
    .argument('<source>', 'an address, or store:NAME/PATH')
    .requiredOption('--key-id <id>', 'id of the key that signs, as admin key list prints it')
    .option('--options <pairs>', 'how the image is made, such as w:800,f:auto')
    .option('--base-url <address>', 'address of the service; without it only the path is printed')
    .addHelpText(
      'after',
      `
The key itself is read from ${KEY_VARIABLE}, so that it is in no list of processes.

  ${KEY_VARIABLE}=ic_live_... imagecrew sign https://example.com/photo.jpg --key-id key_01... --options w:800,f:auto`,
    )
    .action(async (source: string, { keyId, options = '', baseUrl = '' }: SignOptions) => {
      const key = io.env[KEY_VARIABLE];
      if (!key) throw new Failure('invalid_parameter', expected('an API key', KEY_VARIABLE, undefined));
      const address = await signImageAddress('', { id: keyId, key }, source, options);
      // What is wrong is found here instead of in a browser.
      const parts = parseAddress(address);
      parseOptions(parts.options);
      parseSource(parts.source);
      io.out(`${baseUrl.replace(/\/+$/, '')}${address}\n`);
    });
}
