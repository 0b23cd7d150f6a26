/** Where the face is to be on an ID photo, as photo booths show it. */

/** Of the height that the head leaves free, the part above it: authorities want the face a little above the middle. */
const ABOVE = 0.4;
/** A face is about so many times as wide as it is high. */
const FACE_WIDTH = 0.7;

/** @param head the least and the most that it may take of the photo's height, in percent */
export function HeadGuides({ head: [least, most] }: { head: readonly [number, number] }) {
  const mean = (least + most) / 2;
  const chin = (100 - mean) * ABOVE + mean;
  return (
    <>
      <span class="guide" style={{ top: `${chin - most}%` }}>
        <span>most</span>
      </span>
      <span class="guide" style={{ top: `${chin - least}%` }}>
        <span>least</span>
      </span>
      <span class="guide chin" style={{ top: `${chin}%` }}>
        <span>chin</span>
      </span>
      <span class="oval" style={{ top: `${chin - mean}%`, height: `${mean}%`, aspectRatio: `${FACE_WIDTH}` }} />
    </>
  );
}
