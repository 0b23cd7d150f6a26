/** Reads portable anymaps, which many programs write. */
import { type Raster, rasterOf } from './raster.ts';

const CHANNELS: Record<string, number> = { P4: 1, P5: 1, P6: 3 };
const FULL = 65_535;

/** Reads binary PBM, PGM, PPM and PAM; only the first image of the file. @see netpbm's descriptions of the formats */
export function readAnymap(bytes: Buffer): Raster {
  const kind = bytes.toString('latin1', 0, 2);
  if (kind === 'P7') return readPam(bytes);
  const channels = CHANNELS[kind];
  if (channels === undefined) throw new Error(`${kind} is no binary anymap`);
  const numbers = kind === 'P4' ? 2 : 3;
  const header = new RegExp(`^P\\d(?:(?:\\s|#[^\\n]*\\n)+(\\d+)){${numbers}}\\s`).exec(
    bytes.toString('latin1', 0, 4096),
  );
  if (!header) throw new Error('no header of an anymap');
  const [width = 0, height = 0, maximum = 1] = header[0]
    .slice(2)
    .replace(/#[^\n]*\n/g, ' ')
    .trim()
    .split(/\s+/)
    .map(Number);
  const data = bytes.subarray(header[0].length);
  if (kind === 'P4') return readBits(data, width, height);
  return readSamples(data, { width, height, channels, maximum });
}

function readPam(bytes: Buffer): Raster {
  const end = bytes.indexOf('ENDHDR\n') + 'ENDHDR\n'.length;
  const header = bytes.toString('latin1', 0, end);
  const number = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(header)?.[1]);
  return readSamples(bytes.subarray(end), {
    width: number('WIDTH'),
    height: number('HEIGHT'),
    channels: number('DEPTH'),
    maximum: number('MAXVAL'),
  });
}

interface Shape {
  width: number;
  height: number;
  channels: number;
  /** Sample value of white. */
  maximum: number;
}

function readSamples(data: Buffer, { width, height, channels, maximum }: Shape): Raster {
  const count = width * height * channels;
  const wide = maximum > 255;
  if (data.length < count * (wide ? 2 : 1)) throw new Error('the anymap ends early');
  const samples = new Uint16Array(count);
  for (let index = 0; index < count; index++) {
    const value = wide ? data.readUInt16BE(index * 2) : data[index]!;
    samples[index] = Math.round((value * FULL) / maximum);
  }
  return rasterOf(samples, { width, height, channels });
}

function readBits(data: Buffer, width: number, height: number): Raster {
  const rowBytes = Math.ceil(width / 8);
  const samples = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      samples[y * width + x] = (data[y * rowBytes + (x >> 3)]! >> (7 - (x & 7))) & 1 ? 0 : 255;
    }
  }
  return rasterOf(samples, { width, height, channels: 1 });
}
