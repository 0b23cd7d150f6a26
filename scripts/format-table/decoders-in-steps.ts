/** Trusted decoders that need several steps. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import type { TrustedDecoder } from './decoder.ts';
import { imagemagick, libvips, pillowManaged } from './decoders.ts';
import { readBySharp } from './raster.ts';
import { runProgram, versionOf } from './run-program.ts';

/** Decodes a JPEG or PNG file inside a BMP file; the header has its offset. */
export const libvipsInBmp: TrustedDecoder = {
  name: 'libvips (sharp) of the file inside',
  version: libvips.version,
  async decode({ file }) {
    const bytes = await readFile(file);
    return { raster: await readBySharp(bytes.subarray(bytes.readUInt32LE(10))) };
  },
};

export const icotool: TrustedDecoder = {
  name: 'icotool',
  version: () => versionOf('icotool', '--version'),
  /** Page 1 is the largest icon; the others are not compared. */
  async decode({ file, page, folder }) {
    if (page > 1) throw new Error('only the largest icon is compared');
    const { stdout } = await runProgram('icotool', ['-l', file]);
    const icons = stdout
      .toString()
      .trim()
      .split('\n')
      .map((line) => {
        const number = (name: string) => Number(new RegExp(`--${name}=(\\d+)`).exec(line)?.[1]);
        return { index: number('index'), rank: number('width') * number('height') * 64 + number('bit-depth') };
      });
    const [largest] = icons.toSorted((one, other) => other.rank - one.rank);
    const out = join(folder, 'out.png');
    await runProgram('icotool', ['-x', `-i${largest?.index}`, '-o', out, file]);
    return { raster: await readBySharp(out), pages: icons.length };
  },
};

export const icns2png: TrustedDecoder = {
  name: 'icns2png',
  version: () => versionOf('icns2png', '--version'),
  /** Page 1 is the largest icon. */
  async decode({ file, page, folder }) {
    if (page > 1) throw new Error('only the largest icon is compared');
    const { stdout, stderr } = await runProgram('icns2png', ['-x', '-o', folder, file]);
    const saved = [...`${stdout}\n${stderr}`.matchAll(/Saved '?.*? to (.*\.png)/g)].map((match) => match[1]!);
    const largest = saved.toSorted((one, other) => sizeIn(other) - sizeIn(one))[0];
    if (!largest) throw new Error('no icons');
    return { raster: await readBySharp(largest) };
  },
};

const sizeIn = (name: string): number => Number(/_(\d+)x\d+x\d+\.png$/.exec(name)?.[1]);

/** Converts to uncompressed DICOM first, so that GDCM decodes every transfer syntax and DCMTK renders every image. */
export const dicomTools: TrustedDecoder = {
  name: 'GDCM and DCMTK (gdcmconv, dcm2pnm)',
  version: async () => `${await versionOf('gdcmconv', '--version')}, ${await versionOf('dcm2pnm', '--version')}`,
  async decode({ file, page, folder }) {
    const raw = join(folder, 'raw.dcm');
    const uncompressed = await runProgram('gdcmconv', ['--raw', file, raw]).then(
      () => raw,
      () => file,
    );
    const out = join(folder, 'out.png');
    const draw = (...options: readonly string[]) =>
      runProgram('dcmj2pnm', ['--write-png', '--frame', String(page), ...options, uncompressed, out]);
    const { stdout } = await runProgram('dcmdump', ['+P', 'NumberOfFrames', '+P', 'WindowCenter', file]);
    await (/WindowCenter/.test(stdout.toString()) ? draw('--use-window', '1') : draw('--min-max-window'));
    return { raster: await readBySharp(out), pages: Number(/IS \[(\d+)/.exec(stdout.toString())?.[1] ?? 1) };
  },
};

/** Decodes JPEG of more than 8 bits, or lossless JPEG, by wrapping it in DICOM. */
export const dicomToolsOfJpeg: TrustedDecoder = {
  name: 'GDCM (gdcmimg, gdcmconv) and DCMTK (dcm2pnm)',
  version: dicomTools.version,
  async decode({ file, page, folder }) {
    if (page > 1) throw new Error('the first image only');
    const [wrapped, raw, out] = ['wrapped.dcm', 'raw.dcm', 'out.png'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    await runProgram('gdcmimg', ['-i', file, '-o', wrapped]);
    await runProgram('gdcmconv', ['--raw', wrapped, raw]);
    await runProgram('dcm2pnm', ['--write-png', '--no-windowing', raw, out]);
    return { raster: await readBySharp(out) };
  },
};

export const farbfeld: TrustedDecoder = {
  name: 'ff2png',
  version: async () => 'of farbfeld',
  async decode({ file, folder }) {
    const out = join(folder, 'out.png');
    await runProgram('sh', ['-c', 'ff2png < "$1" > "$2"', 'sh', file, out]);
    return { raster: await readBySharp(out) };
  },
};

/** Scales palettes of four bits per colour: other decoders leave the highest level at 240. */
export const ofFourBits = (decoder: TrustedDecoder): TrustedDecoder => ({
  name: `${decoder.name} with four bits a colour`,
  version: decoder.version,
  async decode(request) {
    const { raster } = await decoder.decode(request);
    return { raster: { ...raster, data: raster.data.map((sample) => (sample >> 12) * 0x1111) } };
  },
});

/** Extracts one of several images in an Interchange File Format file. */
export const ofForm = (decoder: TrustedDecoder): TrustedDecoder => ({
  name: `${decoder.name} of the image`,
  version: decoder.version,
  async decode({ file, page, folder }) {
    const bytes = await readFile(file);
    if (bytes.toString('latin1', 0, 4) !== 'CAT ') throw new Error('not several images');
    let at = 12;
    for (let passed = 1; passed < page; passed++) at += 8 + Math.ceil(bytes.readUInt32BE(at + 4) / 2) * 2;
    const alone = join(folder, 'alone.iff');
    await writeFile(alone, bytes.subarray(at, at + 8 + bytes.readUInt32BE(at + 4)));
    return { raster: (await decoder.decode({ file: alone, page: 1, folder })).raster };
  },
});

/** Decodes with ImageMagick and converts to sRGB with LittleCMS. */
export const imagemagickManaged = (coder: string): TrustedDecoder => ({
  name: 'ImageMagick with LittleCMS',
  version: imagemagick(coder).version,
  async decode({ file, page, folder }) {
    const between = join(folder, 'between.tiff');
    await runProgram('convert', [`${coder}:${file}[${page - 1}]`, '-depth', '8', between]);
    const { raster } = await pillowManaged.decode({ file: between, page: 1, folder });
    return { raster };
  },
});

/** Extracts the images of a multi-picture file. */
export const exiftool: TrustedDecoder = {
  name: 'libvips (sharp) of what exiftool extracts',
  version: async () => `${await versionOf('exiftool', '-ver')} of exiftool`,
  async decode({ file, page }) {
    if (page === 1) throw new Error('no multi-picture file');
    const { stdout } = await runProgram('exiftool', ['-b', `-MPImage${page}`, file]);
    return { raster: await readBySharp(stdout, 1, true) };
  },
};

/** Extracts the largest complete preview of a camera raw file, rotated as the raw file says. */
export const exiftoolPreview: TrustedDecoder = {
  name: 'libvips (sharp) of the preview that exiftool extracts',
  version: exiftool.version,
  async decode({ file }) {
    const { stdout } = await runProgram('exiftool', ['-n', '-s3', '-Orientation', file]);
    const orientation = Number(stdout.toString()) || 1;
    for (const preview of ['JpgFromRaw', 'PreviewImage', 'ThumbnailImage']) {
      const bytes = (await runProgram('exiftool', ['-b', `-${preview}`, file])).stdout;
      try {
        const turned = await sharp(bytes, { failOn: 'truncated' }).png().withMetadata({ orientation }).toBuffer();
        return { raster: await readBySharp(turned, 1, true) };
      } catch {
        // The preview is missing or truncated.
      }
    }
    throw new Error('no preview');
  },
};
