/** Images of a website. A few are drawn; the others differ from them only by a comment in the file. */
import { crc32 } from 'node:zlib';
import { scene } from '../scenes.ts';
import { sharpOf } from '../test-images.ts';

export const TEST_IMAGE_KINDS = ['photo', 'large', 'print', 'logo', 'film', 'drawing'] as const;
export type TestImageKind = (typeof TEST_IMAGE_KINDS)[number];

export const EXTENSIONS: Readonly<Record<TestImageKind, string>> = {
  photo: 'jpg',
  large: 'jpeg',
  print: 'png',
  logo: 'png',
  film: 'gif',
  drawing: 'svg',
};

const TYPES: Readonly<Record<string, string>> = {
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  svg: 'image/svg+xml',
};

/** Number of images that are drawn of each kind. The others are copies with a comment. A large one takes 0.7 s. */
const DRAWN: Readonly<Record<TestImageKind, number>> = { photo: 6, large: 1, print: 6, logo: 6, film: 6, drawing: 1 };

const DRAWING = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><title></title>
  <circle cx="32" cy="32" r="30" fill="#247"/><path d="M12 40 L30 14 L52 40 Z" fill="#fc6"/></svg>\n`;

async function draw(kind: TestImageKind, seed: number): Promise<Buffer> {
  switch (kind) {
    case 'photo':
      return await sharpOf(scene('photo', 480, 360, seed))
        .jpeg({ quality: 92 })
        .toBuffer();
    case 'large':
      return await sharpOf(scene('photo', 1280, 960, seed))
        .jpeg({ quality: 90 })
        .toBuffer();
    case 'print':
      return await sharpOf(scene('print', 480, 320, seed))
        .png()
        .toBuffer();
    case 'logo':
      return await sharpOf(scene('sky', 300, 120, seed))
        .png({ palette: true, colours: 64 })
        .toBuffer();
    case 'film': {
      const frames = await Promise.all(
        [0, 1, 2, 3].map((frame) =>
          sharpOf(scene('print', 200, 150, seed + frame))
            .png()
            .toBuffer(),
        ),
      );
      const { default: sharp } = await import('sharp');
      return await sharp(frames, { join: { animated: true } })
        .gif({ delay: [90, 90, 90, 90] })
        .toBuffer();
    }
    case 'drawing':
      return Buffer.from(DRAWING);
  }
}

/** Creates a PNG chunk (PNG specification, section 5.3). */
function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const bytes = Buffer.alloc(body.length + 8);
  bytes.writeUInt32BE(data.length, 0);
  body.copy(bytes, 4);
  bytes.writeUInt32BE(crc32(body), body.length + 4);
  return bytes;
}

/** Adds a comment to a file, which does not change the visible image. */
export function addComment(file: Buffer, kind: TestImageKind, mark: string): Buffer {
  const text = Buffer.from(mark, 'latin1');
  switch (EXTENSIONS[kind]) {
    case 'jpg':
    case 'jpeg': {
      const header = Buffer.from([0xff, 0xfe, 0, text.length + 2]);
      return Buffer.concat([file.subarray(0, 2), header, text, file.subarray(2)]);
    }
    case 'png': {
      const end = file.length - 12;
      return Buffer.concat([file.subarray(0, end), chunk('tEXt', Buffer.from(`Comment\0${mark}`)), file.subarray(end)]);
    }
    case 'gif': {
      const comment = Buffer.concat([Buffer.from([0x21, 0xfe, text.length]), text, Buffer.from([0])]);
      return Buffer.concat([file.subarray(0, -1), comment, file.subarray(-1)]);
    }
    default:
      return Buffer.from(file.toString().replace('<title>', `<title>${mark}`));
  }
}

/** The images of all websites of this process. */
let images: Promise<TestImages> | undefined;

export class TestImages {
  readonly #drawn: ReadonlyMap<TestImageKind, readonly Buffer[]>;

  private constructor(drawn: ReadonlyMap<TestImageKind, readonly Buffer[]>) {
    this.#drawn = drawn;
  }

  static draw(): Promise<TestImages> {
    images ??= TestImages.#draw();
    return images;
  }

  static async #draw(): Promise<TestImages> {
    const drawn = new Map<TestImageKind, Buffer[]>();
    for (const kind of TEST_IMAGE_KINDS) {
      const seeds = Array.from({ length: DRAWN[kind] }, (_, index) => index * 17 + 3);
      drawn.set(kind, await Promise.all(seeds.map((seed) => draw(kind, seed))));
    }
    return new TestImages(drawn);
  }

  /** Returns the file of a number: always the same for one number, and another for every other. */
  file(kind: TestImageKind, number: number): Buffer {
    const drawn = this.#drawn.get(kind)!;
    return addComment(drawn[number % drawn.length]!, kind, `image ${number}`);
  }
}

export function typeOf(path: string): string {
  return TYPES[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
}
