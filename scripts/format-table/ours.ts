/** Decodes files as a worker of the service does, in this process. */
import type { InputFormat } from '../../codecs/formats/registry.ts';
import { compileModules } from '../../codecs/modules.ts';
import { formatOf, openSource } from '../../codecs/read.ts';
import { isDecodeError, type OpenedImage, type Source, vipsMessage, WHOLE_IMAGE } from '../../codecs/source.ts';
import { startVips } from '../../codecs/vips.ts';
import { type Raster, rasterOf } from './raster.ts';

export interface OurPage {
  raster: Raster;
  pages: number;
  /** Whether the file ends early; the missing part was left out. */
  truncated: boolean;
  /** Whether it is an embedded preview, not the main image. */
  preview: boolean;
}

export interface OurReader {
  /** @throws Failure `unsupported_format` */
  format(bytes: Uint8Array, name: string): Promise<InputFormat>;
  /** @throws Failure the same as in the service */
  read(bytes: Uint8Array, name: string, page: number): Promise<OurPage>;
}

export async function startOurReader(): Promise<OurReader> {
  const modules = await compileModules();
  const { vips, releaseHandles } = await startVips(modules);
  return {
    format: async (bytes, name) => formatOf(bytes, name),
    async read(bytes, name, page) {
      try {
        const format = await formatOf(bytes, name);
        const source = await openSource({ vips, modules }, { bytes, format, page, filename: name });
        const { image, truncated } = await openTolerantly(source);
        const { width, height, bands } = image.frames[0];
        const samples = image.frames[0].writeToMemory() as Uint8Array | Uint16Array;
        const { pages, preview } = source.header;
        return { raster: rasterOf(samples, { width, height, channels: bands }), pages, truncated, preview };
      } catch (error) {
        if (isDecodeError(error)) throw new Error(vipsMessage(error));
        throw error;
      } finally {
        releaseHandles();
      }
    },
  };
}

/** Decodes as the operations do: the whole file if possible, otherwise the readable part. */
async function openTolerantly(source: Source): Promise<{ image: OpenedImage; truncated: boolean }> {
  try {
    return { image: await openWhole(source, false), truncated: false };
  } catch (error) {
    if (!isDecodeError(error)) throw error;
    return { image: await openWhole(source, true), truncated: true };
  }
}

async function openWhole(source: Source, tolerant: boolean): Promise<OpenedImage> {
  const image = await source.open({ ...WHOLE_IMAGE, keepDepth: true, tolerant });
  return { ...image, frames: [image.frames[0].copyMemory()] };
}
