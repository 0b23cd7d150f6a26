/** What the operations are compared with: for each, the code that a user of another library would write. */
import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { z } from 'zod';
import { faviconParams } from '../engine/operations/favicon/params.ts';
import { gifParams } from '../engine/operations/gif/params.ts';
import { idPhotoParams } from '../engine/operations/id-photo/params.ts';
import { sourceParams } from '../engine/operations/parameters.ts';
import { createPool } from '../engine/pool.ts';
import type { TaskInput, TaskName } from '../engine/task.ts';
import { findProgram } from '../test/support/tool.ts';
import type { InputName } from './inputs.ts';

export const CONTENDERS = ['imagecrew', 'sharp', 'ImageMagick', 'gifsicle'] as const;
export type ContenderName = (typeof CONTENDERS)[number];

/** Runs the operation once; resolves to the number of bytes of the result. */
type Job = (source: Uint8Array) => Promise<number>;
type Start = (path: string) => Promise<{ job: Job; close?: () => Promise<void> }>;

interface Operation {
  name: TaskName;
  title: string;
  input: InputName;
  peers: Partial<Record<ContenderName, Start>>;
}

const run = promisify(execFile);
const MAX_OUTPUT_BYTES = 2 ** 28;

/** A program that writes its result to standard output; omitted if it is not installed. */
function program(name: string, contender: ContenderName, ...calls: ((path: string) => string[])[]) {
  if (!findProgram(name)) return {};
  const start: Start = async (path) => ({
    job: async () => {
      let bytes = 0;
      for (const call of calls)
        bytes += (await run(name, call(path), { encoding: 'buffer', maxBuffer: MAX_OUTPUT_BYTES })).stdout.length;
      return bytes;
    },
  });
  return { [contender]: start };
}

function imagecrew<N extends 'favicon' | 'gif' | 'id-photo'>(task: N, declaration: z.ZodObject, asked: object): Start {
  return async () => {
    const engine = await createPool({ workers: availableParallelism() });
    await engine.ready();
    const params = z.strictObject({ ...sourceParams.shape, ...declaration.shape }).parse(asked);
    return {
      job: async (source) => {
        const input = { image: { data: source.slice().buffer as ArrayBuffer }, params } as unknown as TaskInput<N>;
        return ((await engine.run(task, input)) as { data: ArrayBuffer }).data.byteLength;
      },
      close: () => engine.close(),
    };
  };
}

const withSharp = (make: (source: Uint8Array) => Promise<Buffer[]>): Start => {
  sharp.cache(false);
  return async () => ({
    job: async (source) => (await make(source)).reduce((sum, { length }) => sum + length, 0),
  });
};

const WIDTH = 240;
const ICON_SIDES = [16, 32, 48, 180, 192, 512, 512];
const CLEAR = { r: 0, g: 0, b: 0, alpha: 0 };

export const OPERATIONS: readonly Operation[] = [
  {
    name: 'gif',
    title: `GIF of 24 frames to ${WIDTH} pixels of width`,
    input: 'animation',
    peers: {
      imagecrew: imagecrew('gif', gifParams, { width: WIDTH }),
      sharp: withSharp(async (source) => [await sharp(source, { animated: true }).resize(WIDTH).gif().toBuffer()]),
      ...program('convert', 'ImageMagick', (path) => [
        path,
        '-coalesce',
        '-resize',
        `${WIDTH}x`,
        '-layers',
        'optimize',
        'gif:-',
      ]),
      ...program('gifsicle', 'gifsicle', (path) => ['--resize-width', String(WIDTH), '-O3', '--colors', '256', path]),
    },
  },
  {
    name: 'favicon',
    title: 'Favicon pack from a 1 MP JPEG (the peers: seven PNG icons and, ImageMagick, the ICO)',
    input: 'photo-1mp',
    peers: {
      imagecrew: imagecrew('favicon', faviconParams, {}),
      sharp: withSharp((source) =>
        Promise.all(
          ICON_SIDES.map((side) =>
            sharp(source).resize(side, side, { fit: 'contain', background: CLEAR }).png().toBuffer(),
          ),
        ),
      ),
      ...program(
        'convert',
        'ImageMagick',
        ...ICON_SIDES.map((side) => (path: string) => {
          const square = `${side}x${side}`;
          return [path, '-resize', square, '-background', 'none', '-gravity', 'center', '-extent', square, 'png:-'];
        }),
        (path) => [path, '-resize', '48x48', '-define', 'icon:auto-resize=48,32,16', 'ico:-'],
      ),
    },
  },
  {
    name: 'id-photo',
    title: 'ID photo (600 x 600, at most 240 kB) from a 6 MP JPEG',
    input: 'photo-6mp',
    peers: {
      imagecrew: imagecrew('id-photo', idPhotoParams, { preset: 'us_visa' }),
      // sharp cannot search for a file size; this quality meets it for this image.
      sharp: withSharp(async (source) => [
        await sharp(source).resize(600, 600).jpeg({ quality: 90 }).withMetadata({ density: 300 }).toBuffer(),
      ]),
      ...program('convert', 'ImageMagick', (path) => [
        ...[path, '-resize', '600x600^', '-gravity', 'center', '-extent', '600x600', '-strip'],
        ...['-units', 'PixelsPerInch', '-density', '300', '-define', 'jpeg:extent=240KB', 'jpeg:-'],
      ]),
    },
  },
];

export function operationNamed(name: string): Operation {
  const found = OPERATIONS.find((operation) => operation.name === name);
  if (!found) throw new RangeError(`Expected an operation of the bench but received ${name}.`);
  return found;
}
