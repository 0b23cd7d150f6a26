/** Explains findings to readers of the report: what they mean and what to do (docs/spec/shapes.md, section 16.5). */

import type { FindingCode } from '../findings/finding.ts';

export interface FindingText {
  title: string;
  meaning: string;
  advice: string;
}

export const FINDING_TEXTS: Readonly<Record<FindingCode, FindingText>> = {
  broken: {
    title: 'Images that do not load',
    meaning: 'The server answers with an error, or not at all. Visitors see an empty frame.',
    advice: 'Restore the file or remove the reference.',
  },
  not_image: {
    title: 'Addresses that lead to no image',
    meaning: 'The address answers with a page or another file, often an error page with the wrong status.',
    advice: 'Correct the address, and let missing files answer 404.',
  },
  corrupt: {
    title: 'Damaged files',
    meaning: 'The file cannot be decoded to its end. Browsers show a part of it or nothing.',
    advice: 'Upload the file again from its source.',
  },
  mixed_content: {
    title: 'Images without encryption on encrypted pages',
    meaning: 'The page is loaded by https and asks for the image by http. Browsers warn or block it.',
    advice: 'Use the https address.',
  },
  gps_metadata: {
    title: 'Photographs that tell where they were taken',
    meaning: 'The file carries the position of the camera. Anybody can read it, also of a private home.',
    advice: 'Use the new files, which have no position, or remove it from the originals.',
  },
  wrong_format: {
    title: 'Images in an old format',
    meaning: 'The same image in a newer format is much smaller and looks the same.',
    advice: 'Use the new files of this package.',
  },
  animated_gif: {
    title: 'Animated GIFs',
    meaning: 'GIF needs many times the bytes of an animated WebP or a video.',
    advice: 'Use the new files, or a video for long ones.',
  },
  oversized: {
    title: 'Images larger than they are shown',
    meaning: 'The file has more than twice the pixels that its place on the page can show.',
    advice: 'Use the new files, which have the size that is shown on dense screens.',
  },
  very_large: {
    title: 'Very large images',
    meaning: 'The longer side has more than 2560 pixels, more than nearly every screen shows.',
    advice: 'Publish a smaller copy; keep the large one for download only.',
  },
  heavy: {
    title: 'Heavy images',
    meaning: 'The file is large for what it shows, and slows down everything beside it.',
    advice: 'Use the new files, or choose a lower quality.',
  },
  missing_srcset: {
    title: 'Large images without smaller copies',
    meaning: 'Telephones load the same file as large screens.',
    advice: 'Offer copies of several widths with srcset and sizes.',
  },
  missing_dimensions: {
    title: 'Images without width and height',
    meaning: 'The browser does not know the room that the image will take, so the page jumps while it loads.',
    advice: 'Add width and height attributes.',
  },
  missing_lazy: {
    title: 'Images far down that load at once',
    meaning: 'They compete with what visitors see first.',
    advice: 'Add loading="lazy" to images below the first screen.',
  },
  lazy_first: {
    title: 'First images that load late',
    meaning: 'An image at the top is loaded lazily. The browser finds it late, and the page seems slow.',
    advice: 'Remove lazy loading from the first images.',
  },
  missing_alt: {
    title: 'Images without a description',
    meaning: 'Who cannot see the image learns nothing of it, and neither do search engines.',
    advice: 'Describe what it shows in alt; alt="" where it is decoration.',
  },
  duplicate: {
    title: 'The same image under several addresses',
    meaning: 'Browsers load it again for every address.',
    advice: 'Use one address.',
  },
  near_duplicate: {
    title: 'Copies of an image in other sizes',
    meaning: 'Usually made by the content management system. For information.',
    advice: 'Nothing, unless they are not needed.',
  },
  upscaled: {
    title: 'Images smaller than they are shown',
    meaning: 'The browser enlarges them, which looks soft.',
    advice: 'Upload a larger image.',
  },
  heavy_metadata: {
    title: 'Much metadata',
    meaning: 'A good part of the file is not the image itself: camera data, previews, colour profiles.',
    advice: 'Use the new files, which keep the colours only.',
  },
  wrong_extension: {
    title: 'Names that promise another format',
    meaning: 'The extension and the content differ. Some servers and programs go by the name.',
    advice: 'Rename the file or convert it.',
  },
  redirected: {
    title: 'Images behind redirects',
    meaning: 'Every visitor pays for an additional request.',
    advice: 'Refer to the final address.',
  },
  no_cache: {
    title: 'Images that browsers do not keep',
    meaning: 'The server allows to keep them for less than a day, or says nothing.',
    advice: 'Send Cache-Control with a long max-age for images.',
  },
  uncompressed_svg: {
    title: 'Drawings sent uncompressed',
    meaning: 'SVG is text, and a third of its size with gzip.',
    advice: 'Let the server compress image/svg+xml.',
  },
  large_data_uri: {
    title: 'Large images inside pages or style sheets',
    meaning: 'They are loaded again with every page and delay its text.',
    advice: 'Make them files of their own.',
  },
  cmyk: {
    title: 'Images in the colours of print',
    meaning: 'Not every program shows CMYK as intended.',
    advice: 'Convert them to sRGB, as the new files are.',
  },
  low_similarity: {
    title: 'New files that differ visibly',
    meaning: 'The result differs more from the original than it should. It is used only when it is approved.',
    advice: 'Look at them, and approve them or choose a higher quality.',
  },
  already_negotiated: {
    title: 'Images that the server converts already',
    meaning: 'It sends a newer format to browsers that accept it. They are left alone.',
    advice: 'Nothing.',
  },
  third_party: {
    title: 'Images of other websites',
    meaning: 'They cannot be replaced here.',
    advice: 'Host them yourself, or ask whoever does.',
  },
};
