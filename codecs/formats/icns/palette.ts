/** The Macintosh system palettes of four and eight bits (Inside Macintosh: Imaging With QuickDraw, `clut` 4 and 8). */

const SIXTEEN = [
  0xffffff, 0xfcf305, 0xff6402, 0xdd0806, 0xf20884, 0x4600a5, 0x0000d4, 0x02abea, 0x1fb714, 0x006411, 0x562c05,
  0x90713a, 0xc0c0c0, 0x808080, 0x404040, 0x000000,
];

/** Levels that are not in a cube of six levels. */
const RAMP = [0xee, 0xdd, 0xbb, 0xaa, 0x88, 0x77, 0x55, 0x44, 0x22, 0x11];

/** RGB triples, one after the other. */
export const SYSTEM_PALETTES: Readonly<Record<'index4' | 'index8', Uint8Array>> = {
  index4: Uint8Array.from(SIXTEEN.flatMap((rgb) => [rgb >> 16, (rgb >> 8) & 0xff, rgb & 0xff])),
  index8: makePalette(),
};

/** Builds the palette: the cube from white on, without black; ramps of red, green, blue and grey; black. */
function makePalette(): Uint8Array {
  const levels = [0xff, 0xcc, 0x99, 0x66, 0x33, 0x00];
  const cube = levels.flatMap((red) => levels.flatMap((green) => levels.map((blue) => [red, green, blue])));
  const ramps = [
    ...RAMP.map((level) => [level, 0, 0]),
    ...RAMP.map((level) => [0, level, 0]),
    ...RAMP.map((level) => [0, 0, level]),
    ...RAMP.map((level) => [level, level, level]),
  ];
  return Uint8Array.from([...cube.slice(0, -1), ...ramps, [0, 0, 0]].flat());
}
