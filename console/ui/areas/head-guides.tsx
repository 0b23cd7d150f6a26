/** Lines that show where the face belongs on an ID photo, as in a photo booth. */

/** Share of the free height that is above the head. Authorities want the face slightly above the middle. */
const SPACE_ABOVE_HEAD = 0.4;
/** Approximate ratio of a face's width to its height. */
const FACE_ASPECT_RATIO = 0.7;

/** @param head minimum and maximum height of the head, in percent of the photo's height */
export function HeadGuides({ head: [least, most] }: { head: readonly [number, number] }) {
  const mean = (least + most) / 2;
  const chin = (100 - mean) * SPACE_ABOVE_HEAD + mean;
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
      <span class="oval" style={{ top: `${chin - mean}%`, height: `${mean}%`, aspectRatio: `${FACE_ASPECT_RATIO}` }} />
    </>
  );
}
