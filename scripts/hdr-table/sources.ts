/** The ten files in PQ and HLG: those of the corpus, and scenes coded by programs of other makers. */
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { metaOf } from '../../codecs/metadata/avif.ts';
import { parseMeta, serialiseMeta } from '../../codecs/metadata/avif-items.ts';
import { bytesOf, concat, Reader, uint16 } from '../../codecs/metadata/bytes.ts';
import { box, presentBoxes } from '../../codecs/metadata/isobmff.ts';
import { corpusPath } from '../../test/support/corpus.ts';
import { runProgram } from '../format-table/run-program.ts';
import { BT2020, patches, pngOf, ramps, type Scene, sunset, TRANSFER_CODES, type Transfer } from './scenes.ts';

export interface HdrFile {
  name: string;
  path: string;
  primaries: number;
  transfer: Transfer;
  /** Light of the brightest pixel that the file records, in cd/m2. */
  peak?: number;
}

const P3 = 12;

const REAL: readonly Omit<HdrFile, 'path'>[] = [
  { name: 'avif/libavif--colors_hdr_p3.avif', primaries: P3, transfer: 'pq', peak: 470 },
  { name: 'avif/libavif--colors_wcg_hdr_rec2020.avif', primaries: BT2020, transfer: 'pq', peak: 506 },
  { name: 'avif/libavif--cosmos1650_yuv444_10bpc_p3pq.avif', primaries: P3, transfer: 'pq' },
  { name: 'jxl/testdata--pq_gradient.jxl', primaries: BT2020, transfer: 'pq' },
];

interface Drawn {
  name: string;
  scene(): Scene;
  transfer: Transfer;
  peak?: number;
  /** Returns the program that codes a PNG, with its arguments. Default: the PNG itself. */
  coded?(png: string, out: string): readonly [program: string, ...args: string[]];
}

const avif =
  (depth: number, transfer: Transfer): NonNullable<Drawn['coded']> =>
  (png, out) => [
    ...(['avifenc', '--depth', String(depth), '--yuv', '444', '--range', 'full', '--min', '0', '--max', '10'] as const),
    ...['--cicp', `${BT2020}/${TRANSFER_CODES[transfer]}/${BT2020}`, '--speed', '8', png, out],
  ];

const heic: NonNullable<Drawn['coded']> = (png, out) => [
  ...(['heif-enc', '-q', '95', '-b', '10', '-p', 'chroma=444', png, '-o', out] as const),
];

const DRAWN: readonly Drawn[] = [
  { name: 'ramps-pq.png', scene: ramps, transfer: 'pq' },
  { name: 'patches-pq-12.avif', scene: patches, transfer: 'pq', coded: avif(12, 'pq') },
  { name: 'patches-hlg.png', scene: patches, transfer: 'hlg' },
  { name: 'sunset-pq-maxcll-4000.png', scene: sunset, transfer: 'pq', peak: 4000 },
  { name: 'sunset-hlg-10.avif', scene: sunset, transfer: 'hlg', coded: avif(10, 'hlg') },
  { name: 'sunset-pq-10.heic', scene: sunset, transfer: 'pq', coded: heic },
];

/** The matrix of heif-enc: BT.601 (ITU-T H.273). */
const MATRIX = 6;
const FULL_RANGE = 0x80;

/** Adds the code points of PQ to a HEIC file: this version of heif-enc writes none. */
function withColourBox(bytes: Uint8Array): Uint8Array {
  const reader = new Reader(bytes, 'heic');
  const metaBox = metaOf(reader, presentBoxes(reader));
  const meta = parseMeta(reader, metaBox);
  const codes = [BT2020, TRANSFER_CODES.pq, MATRIX].map((code) => uint16(code));
  const property = box('colr', bytesOf('nclx'), ...codes, Uint8Array.of(FULL_RANGE));
  meta.associations.get(meta.primary)!.push({ property, essential: false });
  const growth = serialiseMeta(meta).length - (metaBox.end - metaBox.start);
  for (const { source, extents } of meta.items) {
    if (source === 'file') for (const extent of extents) extent.offset += growth;
  }
  return concat([bytes.subarray(0, metaBox.start), serialiseMeta(meta), bytes.subarray(metaBox.end)]);
}

/** Writes the files to a folder. */
export async function makeHdrFiles(folder: string): Promise<HdrFile[]> {
  const files: HdrFile[] = [];
  for (const real of REAL) {
    const path = join(folder, real.name.replace('/', '-'));
    await copyFile(corpusPath(real.name), path);
    files.push({ ...real, path });
  }
  for (const { name, scene, transfer, peak, coded } of DRAWN) {
    const path = join(folder, name);
    const png = coded ? join(folder, `${name}.source.png`) : path;
    await writeFile(png, await pngOf(scene(), transfer, peak));
    if (coded) await runProgram(...splitCommand(coded(png, path)));
    if (path.endsWith('.heic')) await writeFile(path, withColourBox(await readFile(path)));
    files.push({ name: `drawn/${name}`, path, primaries: BT2020, transfer, ...(peak === undefined ? {} : { peak }) });
  }
  return files;
}

const splitCommand = ([program, ...args]: readonly [string, ...string[]]) => [program, args] as const;
