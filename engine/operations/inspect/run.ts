/** Runs `inspect` in the worker: reads the header and the metadata, and measures the facts that need pixels. */
import { createHash } from 'node:crypto';
import type { FileFacts } from '../../../codecs/facts/facts.ts';
import { readFacts } from '../../../codecs/facts/index.ts';
import { FORMATS } from '../../../codecs/formats/registry.ts';
import { formatOf, openSource } from '../../../codecs/read.ts';
import { type Source, STORED_COLOURS } from '../../../codecs/source.ts';
import { isHighDynamicRange, spaceOfCicp } from '../../../codecs/tags/icc.ts';
import type { WorkerContext } from '../../context.ts';
import { isReadInOrder, smallShrink } from '../../quality/measure.ts';
import type { Warning } from '../../result.ts';
import { checkHeldBytes } from '../decoding.ts';
import { checkSourceSize } from '../source-size.ts';
import { describeCamera } from './camera.ts';
import { describeColor, describeEncoding } from './color.ts';
import { takenAt } from './dates.ts';
import type { InspectInput } from './definition.ts';
import { describeGainMap } from './gain-map.ts';
import { describeGps } from './gps.ts';
import { measurePixels } from './pixels.ts';
import { privacyConcerns } from './privacy.ts';
import type { Inspection, InspectResult } from './record.ts';
import { describeMotion, describeSize } from './size.ts';
import { describeMetadata, readTags } from './tags.ts';

export async function run(context: WorkerContext, { image, params }: InspectInput): Promise<InspectResult> {
  const started = performance.now();
  const bytes = new Uint8Array(image.data);
  const { page = 1 } = params;
  const format = await formatOf(bytes, image.filename);
  const source = await openSource(context, { bytes, format, page, filename: image.filename });
  checkSourceSize(context, source, 1);
  checkSmall(context, source);
  const { header } = source;
  const facts = readFacts(format, bytes, page);
  if (facts.colour?.profileInside) await addProfileInside(facts, source);
  const tags = readTags(facts);
  const headerAt = performance.now();
  const { facts: pixels, truncated } = await measurePixels(context.vips, source);
  const decodedAt = performance.now();

  const gps = describeGps(tags);
  const thumbnail = facts.preview ?? null;
  const warnings: Warning[] = [
    ...(header.preview ? (['preview_used'] as const) : []),
    ...(truncated ? (['truncated_source'] as const) : []),
  ];
  const record: Inspection = {
    format,
    content_type: FORMATS[format].contentTypes[0],
    bytes: bytes.length,
    ...describeSize(header, facts),
    page,
    pages: header.pages,
    ...describeMotion(header, facts),
    color: describeColor(header, facts, tags, pixels),
    dpi: describeDensity(facts.density),
    encoding: describeEncoding(facts),
    metadata: describeMetadata(tags, facts),
    camera: describeCamera(tags),
    taken_at: takenAt(tags),
    gps,
    thumbnail,
    gain_map: describeGainMap(facts, tags),
    fingerprints: {
      sha256: createHash('sha256').update(bytes).digest('hex'),
      phash: pixels?.phash ?? null,
      dhash: pixels?.dhash ?? null,
    },
    colors: pixels?.colors ?? null,
    blurhash: pixels?.blurhash ?? null,
    provenance: { c2pa: facts.c2pa ?? false },
    privacy: privacyConcerns(tags, { gps, thumbnail }),
    warnings,
  };
  return {
    record,
    phases: { decode: decodedAt - headerAt, process: headerAt - started + performance.now() - decodedAt, encode: 0 },
  };
}

/** @throws Failure `image_too_large` if the image cannot be measured row by row and has too many pixels to hold */
function checkSmall(context: WorkerContext, source: Source): void {
  if (isReadInOrder(source)) return;
  checkHeldBytes(context, source, { frames: 1, shrink: smallShrink(source) });
}

/** Adds the profile that the decoder finds, or what it says about PQ and HLG. Reads no pixels. */
async function addProfileInside(facts: FileFacts, source: Source): Promise<void> {
  const { icc, codePoints } = await source.open({ ...STORED_COLOURS, tolerant: true });
  if (icc) facts.blocks.icc = icc;
  if (codePoints) {
    const { transfer } = codePoints;
    facts.colour = { ...facts.colour, space: spaceOfCicp(codePoints), hdr: isHighDynamicRange(transfer) };
  }
}

/** Rounds to 0.1: PNG stores dots per metre, so 144 dpi is read back as 143.9926. */
function describeDensity(density: FileFacts['density']): Inspection['dpi'] {
  const [x, y] = [density?.x ?? 0, density?.y ?? 0].map((value) => Math.round(value * 10) / 10);
  return x && y ? { x, y } : null;
}
