/**
 * Parses the layout of uncompressed samples: the boxes `uncC` and `cmpd` (ISO/IEC 23001-17:2024, sections 5.1 and 5.2).
 */
import { unsupportedFormat } from '../../errors.ts';
import type { Reader } from '../../metadata/bytes.ts';

/** The meaning of a component (table 1). */
export const ROLE = { grey: 0, red: 4, green: 5, blue: 6, alpha: 7, padding: 12 } as const;

export interface Layout {
  /** In storage order. */
  components: { role: number }[];
  /** Bits per sample. */
  depth: 8 | 16;
  /** Whether the samples are stored by component instead of by pixel. */
  planar: boolean;
  littleEndian: boolean;
  tileColumns: number;
  tileRows: number;
  /** Returns the position of a colour among the samples of a pixel; undefined for other components. */
  channelOf(role: number): number | undefined;
}

const COLOURS: readonly number[] = [ROLE.red, ROLE.green, ROLE.blue];
const ROLES: ReadonlySet<number> = new Set(Object.values(ROLE));
const MAX_COMPONENTS = 8;
const BY_COMPONENT = 0;
const BY_PIXEL = 1;
const COMPONENTS_LITTLE_ENDIAN = 0x80;
/** Bytes of a component: its index, depth, format and alignment. */
const COMPONENT_BYTES = 5;
/** Profiles that imply a layout (table 7). */
const PROFILES: Readonly<Record<string, readonly number[]>> = {
  rgb3: COLOURS,
  rgba: [...COLOURS, ROLE.alpha],
  abgr: [ROLE.alpha, ROLE.blue, ROLE.green, ROLE.red],
};

/** @throws Failure `corrupt_image`, `unsupported_format` for layouts that no known writer uses */
export function parseLayout(configuration: Reader, definitions: Reader | undefined): Layout {
  const simple = PROFILES[configuration.text(4, 4)];
  if (configuration.u8(0) === 1) {
    if (!simple) throw unsupportedLayout(`profile ${configuration.text(4, 4)}`);
    return layoutOf(simple, { depth: 8, interleave: BY_PIXEL, flags: 0, tileColumns: 1, tileRows: 1 });
  }
  const count = configuration.u32(8);
  if (count === 0 || count > MAX_COMPONENTS) throw unsupportedLayout(`${count} components`);
  const roles = Array.from({ length: count }, (_, index) => {
    const at = 12 + index * COMPONENT_BYTES;
    const [depth, format, alignment] = [
      configuration.u8(at + 2) + 1,
      configuration.u8(at + 3),
      configuration.u8(at + 4),
    ];
    if (depth !== configuration.u8(14) + 1 || format !== 0) throw unsupportedLayout('samples of several kinds');
    if (alignment !== 0 && alignment !== depth / 8) throw unsupportedLayout('padded samples');
    return definitions ? definitions.u16(4 + configuration.u16(at) * 2) : configuration.u16(at);
  });
  const at = 12 + count * COMPONENT_BYTES;
  const [sampling, interleave, block, flags] = [0, 1, 2, 3].map((offset) => configuration.u8(at + offset));
  const [pixel, rowAlign, tileAlign] = [4, 8, 12].map((offset) => configuration.u32(at + offset));
  if (sampling !== 0 || block !== 0) throw unsupportedLayout('subsampled or packed samples');
  if (pixel! > count * 2 || rowAlign! > 1 || tileAlign! > 1) throw unsupportedLayout('padded rows');
  return layoutOf(roles, {
    depth: configuration.u8(14) + 1,
    interleave: interleave!,
    flags: flags!,
    tileColumns: configuration.u32(at + 16) + 1,
    tileRows: configuration.u32(at + 20) + 1,
  });
}

interface Options {
  depth: number;
  interleave: number;
  flags: number;
  tileColumns: number;
  tileRows: number;
}

function layoutOf(roles: readonly number[], { depth, interleave, flags, tileColumns, tileRows }: Options): Layout {
  if (depth !== 8 && depth !== 16) throw unsupportedLayout(`${depth} bits per sample`);
  if (interleave !== BY_COMPONENT && interleave !== BY_PIXEL) throw unsupportedLayout(`interleave ${interleave}`);
  const grey = roles.includes(ROLE.grey);
  const whole = grey ? !roles.some((role) => COLOURS.includes(role)) : COLOURS.every((role) => roles.includes(role));
  if (!whole || roles.some((role) => !ROLES.has(role)) || new Set(roles).size !== roles.length) {
    throw unsupportedLayout(`components ${roles.join(', ')}`);
  }
  return {
    components: roles.map((role) => ({ role })),
    depth,
    planar: interleave === BY_COMPONENT,
    littleEndian: (flags & COMPONENTS_LITTLE_ENDIAN) !== 0,
    tileColumns,
    tileRows,
    channelOf: (role) => (role === ROLE.grey ? 0 : COLOURS.includes(role) ? COLOURS.indexOf(role) : undefined),
  };
}

const unsupportedLayout = (what: string) => unsupportedFormat(`an uncompressed HEIF image with ${what}`);
