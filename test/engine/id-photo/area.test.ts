/** The arithmetic of the crop. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Box } from '../../../base/geometry.ts';
import { magnification, photoArea, scaledArea } from '../../../engine/operations/id-photo/area.ts';
import { parseBox } from '../../../engine/operations/parse-parameters.ts';
import { verifies } from '../../support/verifies.ts';

const IMAGE = { width: 1000, height: 800 };
const area = (photo: [number, number], crop?: string): number[] => {
  const { x, y, width, height }: Box = photoArea(
    IMAGE,
    { width: photo[0], height: photo[1] },
    crop === undefined ? undefined : parseBox(crop),
  );
  return [x, y, width, height];
};

describe('the area of the photo', () => {
  it("is the largest centred one with the photo's aspect ratio", () => {
    verifies('id-photo.crop.default', 'id-photo.shape');
    assert.deepEqual(area([600, 600]), [100, 0, 800, 800]);
    assert.deepEqual(area([300, 400]), [200, 0, 600, 800]);
    assert.deepEqual(area([400, 200]), [0, 150, 1000, 500]);
    assert.deepEqual(area([500, 400]), [0, 0, 1000, 800]);
  });

  it('is centred in the crop, which is only ever shrunk', () => {
    verifies('id-photo.crop');
    assert.deepEqual(area([300, 300], '10,20,300,500'), [10, 120, 300, 300]);
    assert.deepEqual(area([300, 300], '10,20,500,300'), [110, 20, 300, 300]);
    assert.deepEqual(area([300, 400], '0,0,300,400'), [0, 0, 300, 400]);
    assert.deepEqual(area([16, 6000], '999,799,1,1'), [999, 799, 1, 1]);
  });

  it('is less than a pixel too large when no whole pixels give the exact aspect ratio', () => {
    for (let height = 1; height <= 800; height += 7) {
      const [, , width = 0, used] = area([413, 531], `0,0,1000,${height}`);
      assert.equal(used, height);
      const exact = (height * 413) / 531;
      assert.ok(width >= exact && width < exact + 1, `${width} for ${exact}`);
    }
  });

  it('has its position in an image that is rendered at another size, without gap or overlap', () => {
    const to = { width: 2718, height: 2175 };
    const boxes = ['0,0,501,399', '501,0,499,399', '0,399,501,401', '501,399,499,401'].map((text) =>
      scaledArea(parseBox(text), IMAGE, to),
    );
    assert.equal(
      boxes.reduce((sum, { width, height }) => sum + width * height, 0),
      to.width * to.height,
    );
    assert.deepEqual(boxes[3], { x: 1362, y: 1085, width: 1356, height: 1090 });
  });

  it('is enlarged as far as both sides need', () => {
    const photo = { width: 100, height: 200 };
    assert.equal(magnification({ width: 50, height: 100 }, photo), 2);
    assert.equal(magnification({ width: 100, height: 400 }, photo), 1);
    assert.equal(magnification({ width: 400, height: 400 }, photo), 0.5);
  });
});
