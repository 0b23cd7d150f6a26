/** Truncated images: one of every family, cut after its header and in the middle of its data. */
import type { Bomb } from './bomb.ts';

const SHARES = { quarter: 4, half: 2 } as const;

/** @param valid the valid images of every format, without formats that are detected by their end */
export function truncated(valid: readonly Bomb[]): Bomb[] {
  const fromTheStart = valid.filter(({ format }) => format !== 'raw');
  return fromTheStart.map(({ name, format, filename, make }, index) => {
    const share = index % 2 === 0 ? 'quarter' : 'half';
    return {
      name: `${name.replace('valid, ', '')}, cut after a ${share}`,
      family: 'cut',
      format,
      ...(filename === undefined ? {} : { filename }),
      make: async () => {
        const bytes = await make();
        // The shortest files contain little more than a header.
        const end = Math.max(Math.floor(bytes.length / SHARES[share]), Math.min(64, bytes.length - 4));
        return bytes.subarray(0, end);
      },
    };
  });
}
