/** `imagecrew sign`: signs the address of an image. Needs no service and no data folder. */
import type { Command } from 'commander';
import { expected, Failure } from '../base/failure.ts';
import { addressOf, signedPart } from '../server/image-delivery/address.ts';
import { parseOptions } from '../server/image-delivery/options.ts';
import { signAddress } from '../server/image-delivery/signature.ts';
import { parseSource, sourcePart } from '../server/image-delivery/source.ts';
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
    .action((source: string, { keyId, options = '', baseUrl = '' }: SignOptions) => {
      const key = io.env[KEY_VARIABLE];
      if (!key) throw new Failure('invalid_parameter', expected('an API key', KEY_VARIABLE, undefined));
      // Wrong ones are found here instead of in a browser.
      parseOptions(options);
      const part = sourcePart(source);
      parseSource(part);
      const signed = signedPart(options, part);
      io.out(`${baseUrl.replace(/\/+$/, '')}${addressOf(signAddress(keyId, key, signed), signed)}\n`);
    });
}
