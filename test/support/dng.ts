/** Creates DNG files for tests: a 16-bit Bayer sensor that has captured one colour (Adobe DNG specification 1.4). */
import { concat } from '../../codecs/metadata/bytes.ts';
import { headerOf, longs, type Node, serialise, shorts, TYPE, type Value } from '../../codecs/metadata/directory.ts';

interface Recipe {
  width: number;
  height: number;
  /** Values of the red, green and blue pixels of the sensor, 0 to 65535. */
  colour: readonly [number, number, number];
  orientation?: number;
  /** A JPEG that is stored before the sensor data. */
  preview?: Uint8Array;
}

const LAYOUT = { littleEndian: true, big: false };

export function dng({ width, height, colour, orientation = 1, preview = new Uint8Array(0) }: Recipe): Uint8Array {
  const long = (tag: number, value: number) => longs(tag, [value], true);
  const short = (tag: number, ...values: number[]) => shorts(tag, values, true);
  const bytes = (tag: number, type: number, data: Uint8Array, count = data.length): Value => ({
    tag,
    type,
    count,
    data,
  });
  const text = (tag: number, value: string) => bytes(tag, TYPE.ascii, Buffer.from(`${value}\0`, 'latin1'));
  const ratios = (tag: number, type: number, values: readonly number[]) =>
    bytes(tag, type, new Uint8Array(Int32Array.from(values.flatMap((value) => [value, 1])).buffer), values.length);
  const values = (sensorAt: number): Value[] => [
    long(254, 0),
    long(256, width),
    long(257, height),
    short(258, 16),
    short(259, 1),
    short(262, 32803),
    text(271, 'Test'),
    text(272, 'Sensor'),
    long(273, sensorAt),
    short(274, orientation),
    short(277, 1),
    long(278, height),
    long(279, width * height * 2),
    short(33421, 2, 2),
    bytes(33422, TYPE.byte, Uint8Array.of(0, 1, 1, 2)),
    bytes(50706, TYPE.byte, Uint8Array.of(1, 4, 0, 0)),
    bytes(50707, TYPE.byte, Uint8Array.of(1, 1, 0, 0)),
    text(50708, 'Test Sensor'),
    long(50714, 0),
    long(50717, 65_535),
    ratios(50721, TYPE.signedRational, [1, 0, 0, 0, 1, 0, 0, 0, 1]),
    ratios(50728, TYPE.rational, [1, 1, 1]),
    short(50778, 21),
  ];
  const header = headerOf(LAYOUT, 8);
  const directory = (sensorAt: number): Uint8Array => {
    const node: Node = { values: values(sensorAt), children: [] };
    return serialise([node], header.length, LAYOUT);
  };
  const before = header.length + directory(0).length + preview.length;
  const padding = new Uint8Array(before % 2);
  const sensor = new Uint16Array(width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) sensor[y * width + x] = colour[(y & 1) + (x & 1)]!;
  }
  return concat([header, directory(before + padding.length), preview, padding, new Uint8Array(sensor.buffer)]);
}
