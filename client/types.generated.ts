// What the interface takes and answers. Written by `npm run generate` from openapi.json; do not edit.
// biome-ignore-all format: generated
// biome-ignore-all lint: generated

/** `error.code` of refused requests. Codes may be added. */
export type ErrorCode =
  | 'invalid_request'
  | 'missing_image'
  | 'invalid_parameter'
  | 'conflicting_parameters'
  | 'invalid_url'
  | 'invalid_pipeline'
  | 'too_many_images'
  | 'url_not_allowed'
  | 'missing_key'
  | 'invalid_key'
  | 'invalid_signature'
  | 'upgrade_required'
  | 'scope_required'
  | 'test_key_not_allowed'
  | 'not_found'
  | 'preset_not_found'
  | 'method_not_allowed'
  | 'upload_timeout'
  | 'invalid_state'
  | 'name_reserved'
  | 'idempotency_in_progress'
  | 'expired'
  | 'file_too_large'
  | 'list_too_large'
  | 'image_too_large'
  | 'unsupported_media_type'
  | 'unsupported_format'
  | 'corrupt_image'
  | 'page_out_of_range'
  | 'password_protected'
  | 'unsupported_output'
  | 'no_subject'
  | 'invalid_mask'
  | 'idempotency_key_reused'
  | 'url_fetch_failed'
  | 'domain_mismatch'
  | 'rate_limited'
  | 'too_many_jobs'
  | 'quota_exceeded'
  | 'key_limit_exceeded'
  | 'test_limit_exceeded'
  | 'internal_error'
  | 'interrupted'
  | 'delivery_failed'
  | 'overloaded'
  | 'model_unavailable'
  | 'shutting_down'
  | 'processing_timeout'
  | 'storage_full';

export interface ApproveAssetBody {
  /** auto: mapped if it saves enough and looks the same. approved: mapped. rejected: not mapped. */
  approval: 'auto' | 'approved' | 'rejected';
  /** Id of the candidate that becomes the chosen result. */
  candidate?: string | undefined;
}

export interface BlurFacesParams {
  /**
   * File name; only its extension is used, to identify formats with no signature of their own. Not needed where the
   * image comes with a name.
   */
  filename?: string | undefined;
  /**
   * Page, frame or plane of a multi-page file. Without it, a TIFF that stays a TIFF and a PDF that stays a PDF keep
   * all pages, and other results use the first. 1 to 100000. Default: 1.
   */
  page?: number | undefined;
  /** How the areas are covered. Default: "blur". */
  effect?: 'blur' | 'pixelate' | undefined;
  /**
   * Blur radius or size of the pixel blocks, relative to each face. From 60 on a face cannot be recovered: what is
   * left of it are the means of at most five by five blocks. Below it, the result warns `weak_cover` where a
   * covered face can still be detected. 1 to 100. Default: 60.
   */
  strength?: number | undefined;
  /**
   * Areas to cover, x,y,width,height in pixels of the image as displayed, separated by semicolons; parts outside
   * the image are cut off. No model runs and the request is an ordinary one. An empty value covers nothing; in a
   * pipeline it is refused. Without boxes every face that is found is covered. Form: at most 200 areas
   * x,y,width,height in whole pixels, separated by semicolons.
   */
  boxes?: string | undefined;
  /** Output format; auto keeps the upload's where it is one of these, else JPEG. Default: "auto". */
  format?: 'auto' | 'jpeg' | 'png' | 'webp' | 'avif' | 'tiff' | undefined;
  /**
   * binary returns the result as the body. json stores it for one hour and returns an object with a link. Default:
   * "binary".
   */
  output?: 'binary' | 'json' | undefined;
  /**
   * Pre-signed upload address of the caller's storage; the result is PUT there instead of returned, and nothing is
   * stored.
   */
  deliver_to?: string | undefined;
}

export interface CompressParams {
  /**
   * File name; only its extension is used, to identify formats with no signature of their own. Not needed where the
   * image comes with a name.
   */
  filename?: string | undefined;
  /**
   * Page, frame or plane of a multi-page file. Without it, a TIFF that stays a TIFF and a PDF that stays a PDF keep
   * all pages, and other results use the first. 1 to 100000. Default: 1.
   */
  page?: number | undefined;
  /**
   * Output format; auto keeps the input format, also of an SVG where no other parameter asks for pixels. ico holds
   * the image at 16 to 256 pixels on a square; pdf holds a JPEG per page, and a PDF that needs no pixels stays the
   * document that it is, with smaller images; psd is flat, with one layer when there is transparency. Default:
   * "auto".
   */
  format?: 'auto' | 'jpeg' | 'png' | 'webp' | 'avif' | 'gif' | 'tiff' | 'bmp' | 'ico' | 'jxl' | 'pdf' | 'tga' | 'psd' | undefined;
  /**
   * quality: encode at `quality`. smart: the smallest file that still looks like the original. lossless: every
   * pixel is kept (png, webp, avif, tiff, bmp, ico, jxl, tga, psd). target: the best quality within `target_bytes`.
   * Default: "quality".
   */
  mode?: 'quality' | 'smart' | 'lossless' | 'target' | undefined;
  /** Encoder quality; used by mode quality. 1 to 100. Default: 75. */
  quality?: number | undefined;
  /** Compress to at most this many bytes; replaces quality. 1 to 1000000000. */
  target_bytes?: number | undefined;
  /**
   * Pad a JPEG or PNG result to at least this size without changing the image; other formats get the warning
   * min_size_unavailable. 1 to 1000000000.
   */
  min_bytes?: number | undefined;
  /** Cut off a border of one colour, before everything else. Default: false. */
  trim?: boolean | undefined;
  /** How far samples of the border that is cut may be from its colour, in levels of 255. 0 to 100. Default: 10. */
  trim_threshold?: number | undefined;
  /**
   * x,y,width,height in pixels of the image as displayed; applied before flip and rotate. Form: x,y,width,height in
   * whole pixels.
   */
  crop?: string | undefined;
  /** Crop to this shape. Form: a ratio as 16:9. */
  crop_ratio?: string | undefined;
  /** Where a ratio crop is taken; attention places it on the subject. Default: "centre". */
  crop_gravity?: 'centre' | 'attention' | undefined;
  /**
   * What fit=cover keeps: faces (uses a model and counts as an AI request), or a place x,y in fractions of the
   * image. Form: faces, or x,y as fractions of width and height from 0 to 1.
   */
  focus?: string | undefined;
  /** circle clears everything outside the ellipse. Default: "rect". */
  crop_shape?: 'rect' | 'circle' | undefined;
  /** Mirror the image; applied after crop and before rotation. Default: "none". */
  flip?: 'none' | 'h' | 'v' | 'hv' | undefined;
  /**
   * Degrees clockwise. A quarter turn is exact; other angles grow the image, with transparent corners (background
   * colour where the format has no transparency). -359 to 359. Default: 0.
   */
  rotate?: number | undefined;
  /** Target width in pixels. 1 to 100000. */
  width?: number | undefined;
  /** Target height in pixels. 1 to 100000. */
  height?: number | undefined;
  /** Scale, when neither width nor height is given. 1 to 1000. */
  percent?: number | undefined;
  /** inside keeps the ratio, exact stretches, cover fills and crops, contain pads. Default: "inside". */
  fit?: 'inside' | 'exact' | 'cover' | 'contain' | undefined;
  /** Allow making the image larger. Default: false. */
  enlarge?: boolean | undefined;
  /** Print width in millimetres at dpi; not together with width, height or percent. 1 to 5000. */
  print_width?: number | undefined;
  /** Print height in millimetres at dpi; not together with width, height or percent. 1 to 5000. */
  print_height?: number | undefined;
  /**
   * Resolution recorded in the file, in dots per inch; print sizes use 300 when it is not given. Alone it only
   * records the resolution. 72 to 1200. Default: 300.
   */
  dpi?: number | undefined;
  /** Device pixel ratio: multiplies width, height, max_width and max_height. 0.1 to 8. Default: 1. */
  dpr?: number | undefined;
  /** Fit inside this width, never enlarge. 1 to 100000. */
  max_width?: number | undefined;
  /** Fit inside this height, never enlarge. 1 to 100000. */
  max_height?: number | undefined;
  /** Brightness; 0 changes nothing. -100 to 100. Default: 0. */
  brightness?: number | undefined;
  /** Contrast; 0 changes nothing. -100 to 100. Default: 0. */
  contrast?: number | undefined;
  /** Saturation; -100 is grey. -100 to 100. Default: 0. */
  saturation?: number | undefined;
  /** Exposure; two stops at either end. -100 to 100. Default: 0. */
  exposure?: number | undefined;
  /** Remove colour. Default: false. */
  grayscale?: boolean | undefined;
  /** Gaussian blur, relative to the image size: 100 has a radius of 4 % of the longer side. 0 to 100. Default: 0. */
  blur?: number | undefined;
  /** Stretch levels and lift local contrast. Default: false. */
  enhance?: boolean | undefined;
  /** Sharpening; 33 is that of sharp.sharpen({ sigma: 1 }). 0 to 100. Default: 0. */
  sharpen?: number | undefined;
  /** Median filter; 20, 60 and 100 are windows of 3, 5 and 7 pixels. 0 to 100. Default: 0. */
  denoise?: number | undefined;
  /** Border width in pixels on every side. 0 to 2000. Default: 0. */
  border?: number | undefined;
  /** Border colour, #rrggbb or transparent. Form: a colour as #rrggbb, or transparent. Default: "#ffffff". */
  border_color?: string | undefined;
  /** Text to draw; up to 3 lines. */
  watermark_text?: string | undefined;
  /** Colour of the watermark text. Form: a colour as #rrggbb. Default: "#ffffff". */
  watermark_color?: string | undefined;
  /** Colour of the outline of the text. Form: a colour as #rrggbb. */
  watermark_outline?: string | undefined;
  /** Outline width in percent of the font size. 1 to 20. Default: 4. */
  watermark_outline_width?: number | undefined;
  /** Watermark opacity in percent. 1 to 100. Default: 50. */
  watermark_opacity?: number | undefined;
  /** Watermark width in percent of the image width. 5 to 100. Default: 30. */
  watermark_size?: number | undefined;
  /** Logo size in percent of its pixels, instead of watermark_size. 1 to 1000. */
  watermark_scale?: number | undefined;
  /** Top, centre or bottom, left, centre or right; tile repeats it. Default: "br". */
  watermark_position?: 'tl' | 'tc' | 'tr' | 'cl' | 'c' | 'cr' | 'bl' | 'bc' | 'br' | 'tile' | undefined;
  /** Offset inwards in percent of the image width. -100 to 100. Default: 0. */
  watermark_x?: number | undefined;
  /** Offset inwards in percent of the image height. -100 to 100. Default: 0. */
  watermark_y?: number | undefined;
  /** Degrees clockwise. -180 to 180. Default: 0. */
  watermark_rotate?: number | undefined;
  /** no_gps keeps camera and date and drops the location; color keeps only the colour profile. Default: "strip". */
  metadata?: 'strip' | 'keep' | 'no_gps' | 'color' | undefined;
  /**
   * Painted behind transparent pixels when the output has no transparency. Form: a colour as #rrggbb. Default:
   * "#ffffff".
   */
  background?: string | undefined;
  /** Adds the perceptual hash of the source. Default: false. */
  fingerprint?: boolean | undefined;
  /** Adds the closeness of the result to the source. Default: false. */
  score?: boolean | undefined;
  /**
   * binary returns the result as the body. json stores it for one hour and returns an object with a link. Default:
   * "binary".
   */
  output?: 'binary' | 'json' | undefined;
  /**
   * Pre-signed upload address of the caller's storage; the result is PUT there instead of returned, and nothing is
   * stored.
   */
  deliver_to?: string | undefined;
}

/**
 * What must hold for a step to be done: all that is given. Sizes are those of the image before the step; format,
 * bytes and metadata those of the source. any and not may stand inside each other 5 deep.
 */
export interface Condition {
  min_width?: number | undefined;
  max_width?: number | undefined;
  min_height?: number | undefined;
  max_height?: number | undefined;
  min_megapixels?: number | undefined;
  max_megapixels?: number | undefined;
  min_ratio?: number | undefined;
  max_ratio?: number | undefined;
  orientation?: 'landscape' | 'portrait' | 'square' | undefined;
  min_bytes?: number | undefined;
  max_bytes?: number | undefined;
  format?: InputFormat | InputFormat[] | undefined;
  not_format?: InputFormat | InputFormat[] | undefined;
  has_alpha?: boolean | undefined;
  animated?: boolean | undefined;
  has_gps?: boolean | undefined;
  min_dpi?: number | undefined;
  max_dpi?: number | undefined;
  any?: Condition[] | undefined;
  not?: Condition | undefined;
}

export interface CreateJobBody {
  /** Name of a saved pipeline or of a template. */
  preset?: string | undefined;
  /** Version of the saved pipeline; default the latest. 1 to 1000000. */
  version?: number | undefined;
  /** Receives the finished job. */
  webhook_url?: string | undefined;
  /** The images. */
  inputs: {
    /** Address of the image. */
    url: string;
  }[];
  pipeline?: Pipeline | undefined;
}

export interface CreateKeyBody {
  /** What the key is for. Default: "unnamed". */
  name?: string | undefined;
  /** Test keys use no quota, and take small files and few requests a day. Default: "live". */
  mode?: 'live' | 'test' | undefined;
  /**
   * What the key may do beside ordinary image operations. ai: AI operations and model steps. sites: website scans.
   * admin: keys and webhook secret of the own account.
   */
  scopes?: ('ai' | 'sites' | 'admin')[] | undefined;
  monthly_limit?: number | null | undefined;
  expires_at?: string | null | undefined;
}

export interface CreateScanBody {
  /** Where the list of pages comes from. Default: "url". */
  source?: 'url' | 'sitemap' | 'list' | undefined;
  /** Of source url the address of the site, of source sitemap that of the sitemap; https where it has no scheme. */
  url?: string | undefined;
  /** Of source list: one address per line, 5 MB at most. */
  urls?: string | undefined;
  /** Project whose website is scanned again. Without it the scan joins the project of the same domain, or makes it. */
  project_id?: string | undefined;
  /** For people. */
  name?: string | undefined;
  /** Draws on a bought package: the scan may take the pages that it has left, and is charged those that it analyses. */
  package?: 'site_1k' | 'site_3k' | 'site_10k' | 'site_50k' | undefined;
  /** Most pages that are scanned. At least 1. */
  max_pages?: number | undefined;
  /** Stop after discovery, so that the list of pages can be looked at first. Default: false. */
  review?: boolean | undefined;
  /** manual: convert nothing before it is asked for. Default: "auto". */
  optimize?: 'auto' | 'manual' | undefined;
  settings?: SiteScanSettings | undefined;
}

/** A pool of pages for website scans. */
export interface Credit {
  id: string;
  package: string;
  pages_total: number;
  pages_left: number;
  bought_at: string;
  expires_at: string | null;
}

export interface DeleteFileAnswer {
  deleted: true;
  id: string;
}

export interface DeletePipelineAnswer {
  deleted: true;
  name: string;
  /** How many there were. At least 1. */
  versions: number;
}

export interface DeleteScanAnswer {
  deleted: true;
  id: string;
}

export interface DeliveredResult {
  /** Suggested name. */
  filename: string;
  content_type: string;
  /** Format of the result. */
  format: string;
  /** Size of the result. */
  bytes: number;
  /** In pixels. At least 1. */
  width: number;
  /** In pixels. At least 1. */
  height: number;
  /** Resolution recorded in the file. */
  dpi: number | null;
  /** SHA-256 of the result in hexadecimal. */
  sha256: string;
  /** Size of the source. */
  original_bytes: number;
  original_format: string;
  /** As displayed. At least 1. */
  original_width: number;
  /** As displayed. At least 1. */
  original_height: number;
  /** original_bytes - bytes; may be negative. */
  saved_bytes: number;
  /** May be negative. */
  saved_percent: number;
  /** As in X-IC-Outcome. */
  outcome: string;
  /** As in X-IC-Warnings. */
  warnings: string[];
  /** Processing time. */
  duration_ms: number;
  /** As in X-Quota-Meter. */
  quota_meter: 'requests' | 'ai' | 'requests, ai' | 'none';
  /** True for test keys. */
  test_mode: boolean;
  /** As in X-IC-Fingerprint. */
  fingerprint?: string | undefined;
  /** As in X-IC-Similarity. */
  similarity?: number | undefined;
  /** The encodings that mode smart tried. */
  explain?: TriedEncoding[] | undefined;
  /** blur-faces: areas that were covered. */
  faces?: number | undefined;
  /** id-photo: with align=face, the height of the head, chin to estimated crown, in percent of the photo. */
  head_percent?: number | undefined;
  /** id-photo: with align=face, the height of the eyes above the lower edge, in percent of the photo. */
  eyes_percent?: number | undefined;
  /** id-photo: with align=face, the degrees clockwise by which the image was rotated to level the eyes. */
  rotated_degrees?: number | undefined;
  /** gif: frames of the result. */
  frames?: number | undefined;
  /** gif: length of the result in milliseconds; absent for a single frame. */
  animation_ms?: number | undefined;
  /** gif: frames of the upload. */
  source_frames?: number | undefined;
  /** gif: length of the upload in milliseconds; absent for a single frame. */
  source_animation_ms?: number | undefined;
  delivered: true;
  delivery: {
    host: string;
    /** What the storage answered. */
    status: number;
    duration_ms: number;
  };
}

export interface DownloadAssetParams {
  /** original: fetched from the website, and not stored. Default: "optimized". */
  which?: 'optimized' | 'variant' | 'candidate' | 'original' | undefined;
  /** Of the variant or the candidate. */
  id?: string | undefined;
  /** To be saved instead of shown. Default: false. */
  download?: boolean | undefined;
}

export interface Face {
  /** Left edge, in pixels of the image as displayed. */
  x: number;
  /** Upper edge. */
  y: number;
  /** Inside the image. At least 1. */
  width: number;
  /** Inside the image. At least 1. */
  height: number;
  /** How sure the detection is. 0 to 1. */
  score: number;
}

export interface FaceDetectionResult {
  /** Of the image as displayed, after EXIF orientation. At least 1. */
  width: number;
  /** Of the image as displayed. At least 1. */
  height: number;
  /** Largest first. */
  faces: Face[];
  /** Processing time. */
  duration_ms: number;
}

export interface FacesParams {
  /**
   * File name; only its extension is used, to identify formats with no signature of their own. Not needed where the
   * image comes with a name.
   */
  filename?: string | undefined;
  /**
   * Page, frame or plane of a multi-page file. Without it, a TIFF that stays a TIFF and a PDF that stays a PDF keep
   * all pages, and other results use the first. 1 to 100000. Default: 1.
   */
  page?: number | undefined;
}

export interface FaviconParams {
  /**
   * File name; only its extension is used, to identify formats with no signature of their own. Not needed where the
   * image comes with a name.
   */
  filename?: string | undefined;
  /**
   * Page, frame or plane of a multi-page file. Without it, a TIFF that stays a TIFF and a PDF that stays a PDF keep
   * all pages, and other results use the first. 1 to 100000. Default: 1.
   */
  page?: number | undefined;
  /** The site's name for the manifest. Form: text of 1 to 60 characters. Default: "My site". */
  name?: string | undefined;
  /** The name under an icon on a home screen. Default: the name. Form: text of 1 to 30 characters. */
  short_name?: string | undefined;
  /** Colour that browsers paint around the site. Form: a colour as #rrggbb. Default: "#ffffff". */
  theme_color?: string | undefined;
  /**
   * Painted behind the Apple and the maskable icon; also the background of the start screen. Form: a colour as
   * #rrggbb. Default: "#ffffff".
   */
  background?: string | undefined;
  /** Percent of the icon side that is kept clear along each edge. 0 to 40. Default: 0. */
  padding?: number | undefined;
  /**
   * binary returns the result as the body. json stores it for one hour and returns an object with a link. Default:
   * "binary".
   */
  output?: 'binary' | 'json' | undefined;
}

export interface Format {
  id: string;
  name: string;
  /** Without the dot. */
  extensions: string[];
  /** The first is used for output. */
  content_types: string[];
  read: boolean;
  write: boolean;
  /** Mode lossless is possible when writing. */
  lossless: boolean;
  alpha: boolean;
  animation_read: boolean;
  animation_write: boolean;
  multi_page: boolean;
  /** No signature of its own: raw bodies need `filename`. */
  needs_filename: boolean;
  note: string | null;
}

export interface GifParams {
  /**
   * File name; only its extension is used, to identify formats with no signature of their own. Not needed where the
   * image comes with a name.
   */
  filename?: string | undefined;
  /**
   * Page, frame or plane of a multi-page file. Without it, a TIFF that stays a TIFF and a PDF that stays a PDF keep
   * all pages, and other results use the first. 1 to 100000. Default: 1.
   */
  page?: number | undefined;
  /**
   * x,y,width,height in pixels of the animation as displayed; applied to every frame. Form: x,y,width,height in
   * whole pixels.
   */
  crop?: string | undefined;
  /** Resize to this width, keeping the shape; never enlarges. 1 to 10000. */
  width?: number | undefined;
  /** Seconds cut from the start. */
  trim_start?: number | undefined;
  /** Seconds from the start where the animation ends. */
  trim_end?: number | undefined;
  /** Percent; no frame is shown for less than 20 ms. 25 to 400. Default: 100. */
  speed?: number | undefined;
  /** Play the animation backwards. Default: false. */
  reverse?: boolean | undefined;
  /** Keep every Nth frame; dropped frames' time goes to the kept one. 1 to 4. Default: 1. */
  every?: number | undefined;
  /** Palette size for GIF output; transparency that is seen counts as a colour. 2 to 256. Default: 256. */
  colours?: number | undefined;
  /**
   * How often the animation is repeated after it has played once; 0 is for ever. Without it as in the upload. 0 to
   * 65535.
   */
  loop?: number | undefined;
  /**
   * How far pixels of a GIF may differ to make it smaller, on the scale of gifsicle --lossy; 0 changes none. 0 to
   * 200. Default: 0.
   */
  lossy?: number | undefined;
  /**
   * Quality of WebP, AVIF and JPEG XL; WebP frames are lossy or lossless, whichever is smaller. 1 to 100. Default:
   * 75.
   */
  quality?: number | undefined;
  /** Keep every pixel in WebP, AVIF and JPEG XL. Default: false. */
  lossless?: boolean | undefined;
  /** Output format, animated; png keeps every pixel. Default: "gif". */
  format?: 'gif' | 'webp' | 'png' | 'avif' | 'jxl' | undefined;
  /**
   * binary returns the result as the body. json stores it for one hour and returns an object with a link. Default:
   * "binary".
   */
  output?: 'binary' | 'json' | undefined;
  /**
   * Pre-signed upload address of the caller's storage; the result is PUT there instead of returned, and nothing is
   * stored.
   */
  deliver_to?: string | undefined;
}

export interface HealthzAnswer {
  status: 'ok';
}

export interface IdPhotoParams {
  /**
   * File name; only its extension is used, to identify formats with no signature of their own. Not needed where the
   * image comes with a name.
   */
  filename?: string | undefined;
  /**
   * Page, frame or plane of a multi-page file. Without it, a TIFF that stays a TIFF and a PDF that stays a PDF keep
   * all pages, and other results use the first. 1 to 100000. Default: 1.
   */
  page?: number | undefined;
  /** A size from the list of presets; other parameters override it. */
  preset?: string | undefined;
  /** Width in millimetres, together with height_mm; dpi turns it into pixels. 5 to 300. */
  width_mm?: number | undefined;
  /** Height in millimetres, together with width_mm. 5 to 300. */
  height_mm?: number | undefined;
  /** Width in pixels, together with height; not together with millimetres. 16 to 6000. */
  width?: number | undefined;
  /** Height in pixels, together with width. 16 to 6000. */
  height?: number | undefined;
  /**
   * Turns millimetres, also those of a preset, into pixels; recorded in the file. Of a size in pixels it is only
   * recorded. 72 to 1200. Default: 300.
   */
  dpi?: number | undefined;
  /**
   * x,y,width,height in pixels of the image as displayed; the largest centred part of it that has the photo's shape
   * is used. Default: the whole image. Form: x,y,width,height in whole pixels.
   */
  crop?: string | undefined;
  /**
   * face finds the largest face, levels eyes that slope by 5 to 15 degrees, and chooses the area so that the head
   * has the height of the preset, or 70 to 80% of the photo (ICAO 9303), with the eyes at 50 to 60%. The crown is
   * estimated. Not together with crop; an AI request. none uses crop. Default: "none".
   */
  align?: 'none' | 'face' | undefined;
  /** Output format. Default: "jpeg". */
  format?: 'jpeg' | 'png' | undefined;
  /** Least size of the file, reached by padding; the image stays the same. 1000 to 50000000. */
  min_bytes?: number | undefined;
  /** Largest size of the file, reached by quality alone; the size in pixels stays the same. 1000 to 50000000. */
  max_bytes?: number | undefined;
  /**
   * Painted behind transparent pixels, and behind the person with remove_background. Form: a colour as #rrggbb.
   * Default: "#ffffff".
   */
  background?: string | undefined;
  /** Replace what is behind the person by the background; an AI request. Default: false. */
  remove_background?: boolean | undefined;
  /**
   * Return a 4 x 6 inch (10 x 15 cm) sheet of copies with 2 mm gaps; min_bytes and max_bytes apply to the sheet.
   * Default: false.
   */
  sheet?: boolean | undefined;
  /**
   * binary returns the result as the body. json stores it for one hour and returns an object with a link. Default:
   * "binary".
   */
  output?: 'binary' | 'json' | undefined;
  /**
   * Pre-signed upload address of the caller's storage; the result is PUT there instead of returned, and nothing is
   * stored.
   */
  deliver_to?: string | undefined;
}

export interface IdPhotoPreset {
  /** Value for the parameter `preset`. */
  id: string;
  /** ISO 3166-1 alpha-2; EU for Schengen, ZZ for plain sizes. */
  country: string;
  document: 'passport' | 'visa' | 'identity' | 'permit' | 'generic';
  /** For people. */
  name: string;
  /** Print size; null when the authority gives only pixels. */
  width_mm: number | null;
  height_mm: number | null;
  /** Exact pixel size of the result. */
  width: number;
  height: number;
  /** Resolution that is recorded. */
  dpi: number;
  format: 'jpeg' | 'png';
  /** Least size of the file. */
  min_bytes: number | null;
  /** Largest size of the file. */
  max_bytes: number | null;
  /** Our choice within the authority's rule. */
  background: string;
  /** Chin to crown. align=face keeps to it; otherwise the service does not check it. */
  head_min_mm: number | null;
  head_max_mm: number | null;
  /** What the authority allows where it allows a range. */
  accepts: {
    min_width: number | null;
    min_height: number | null;
    max_width: number | null;
    max_height: number | null;
    min_bytes: number | null;
    max_bytes: number | null;
    formats: ('jpeg' | 'png')[];
  } | null;
  /** The page that was read; null for plain sizes. */
  source_url: string | null;
  /** The day on which it was read. */
  source_read_on: string;
  /**
   * official: the authority's own page. quoted: its text on another site; results warn preset_unverified. generic:
   * a plain size of no authority.
   */
  source_kind: 'official' | 'quoted' | 'generic';
  note: string | null;
}

export type InputFormat = 'jpeg' | 'png' | 'webp' | 'avif' | 'gif' | 'svg' | 'tiff' | 'bmp' | 'ico' | 'jxl' | 'heic' | 'jp2' | 'jls' | 'hdr' | 'exr' | 'raw' | 'pdf' | 'djvu' | 'dicom' | 'nifti' | 'analyze' | 'mgh' | 'fits' | 'vicar' | 'tga' | 'psd' | 'xcf' | 'miff' | 'dpx' | 'cin' | 'dds' | 'wal' | 'tim' | 'pnm' | 'pam' | 'qoi' | 'farbfeld' | 'wbmp' | 'otb' | 'jng' | 'mng' | 'sixel' | 'xbm' | 'xpm' | 'sun' | 'xwd' | 'urle' | 'sgi' | 'viff' | 'mtv' | 'rla' | 'avs' | 'xv' | 'hrz' | 'pcx' | 'dcx' | 'msp' | 'pict' | 'macpaint' | 'icns' | 'cut' | 'wpg' | 'cals' | 'sct' | 'pcd' | 'sfw' | 'palm' | 'pdb' | 'rgf' | 'aai' | 'art' | 'ilbm' | 'degas' | 'neochrome' | 'spectrum512' | 'tiny' | 'koala' | 'artstudio' | 'doodle' | 'zxscreen' | 'msx' | 'apple2' | 'atari8';

export interface InspectParams {
  /**
   * File name; only its extension is used, to identify formats with no signature of their own. Not needed where the
   * image comes with a name.
   */
  filename?: string | undefined;
  /**
   * Page, frame or plane of a multi-page file. Without it, a TIFF that stays a TIFF and a PDF that stays a PDF keep
   * all pages, and other results use the first. 1 to 100000. Default: 1.
   */
  page?: number | undefined;
}

export interface InspectedCamera {
  make: string | null;
  model: string | null;
  lens: string | null;
  /** Seconds. */
  exposure_time: string | null;
  f_number: number | null;
  iso: number | null;
  focal_length_mm: number | null;
}

export interface InspectedColor {
  /** By the profile or whatever else says it; sRGB where nothing does. */
  space: 'srgb' | 'display_p3' | 'adobe_rgb' | 'cmyk' | 'gray' | 'lab' | 'unknown';
  /** With the alpha channel. At least 1. */
  channels: number;
  /** Bits of a sample; of a palette image, of an index. At least 1. */
  bit_depth: number;
  has_alpha: boolean;
  /** A pixel is really see-through; null when the image cannot be decoded. */
  transparent: boolean | null;
  /** Entries of the palette. */
  palette_colors: number | null;
  /** Name of the profile. */
  icc_profile: string | null;
  /** High dynamic range: PQ, HLG or floating samples, or a gain map beside the image. */
  hdr: boolean;
}

export interface InspectedEncoding {
  /** Progressive or interlaced. */
  progressive: boolean | null;
  /** null where the header does not tell. */
  lossless: boolean | null;
  chroma_subsampling: string | null;
  /** JPEG: from the quantisation tables, on the scale of libjpeg. */
  quality_estimate: number | null;
  /** Name of the method. */
  compression: string | null;
}

export interface InspectedGainMap {
  /** How it is described: ultra_hdr (XMP of Adobe and Google), iso_21496_1, apple. */
  standards: ('ultra_hdr' | 'iso_21496_1' | 'apple')[];
  /** Of the map; null when the file announces a map that it does not contain. */
  width: number | null;
  /** Of the map. */
  height: number | null;
  /** Of the map. */
  channels: number | null;
  /** Of the coded map. */
  bytes: number | null;
  /** Gain of the darkest sample, as a binary logarithm; one value, or red, green and blue. */
  gain_min: number[] | null;
  /** Gain of the brightest sample, as a binary logarithm. */
  gain_max: number[] | null;
  /** Exponent of the samples. */
  gamma: number[] | null;
  /** Added to the darker rendition before the gain. */
  offset_sdr: number[] | null;
  /** Subtracted from the brighter rendition after the gain. */
  offset_hdr: number[] | null;
  /** Binary logarithm of the headroom of a display (peak divided by white) from which the map is applied. */
  hdr_capacity_min: number | null;
  /** The same from which it is applied in full. */
  hdr_capacity_max: number | null;
  /** The main image is the brighter rendition. */
  base_is_hdr: boolean | null;
}

export interface InspectedGps {
  /** Degrees, WGS 84; south is negative. */
  latitude: number | null;
  /** Degrees, WGS 84; west is negative. */
  longitude: number | null;
  /** Below sea level is negative. */
  altitude_m: number | null;
  /** Where the camera looked, clockwise from north. */
  direction_deg: number | null;
  /** UTC. */
  taken_at: string | null;
}

/**
 * Binary values are replaced by {"bytes": n}. Texts are cut at 4,000 characters, lists at 100 values, all of it at
 * 5,000 values and 500,000 characters.
 */
export interface InspectedMetadata {
  /**
   * EXIF by ExifTool's names. Coordinates are in degrees without their direction, exposure times in seconds; of
   * MakerNote the maker, the size and what is known of lens and serial number.
   */
  exif: {
    [name: string]: unknown;
  } | null;
  /** IPTC by ExifTool's names. */
  iptc: {
    [name: string]: unknown;
  } | null;
  /** XMP with the usual prefixes; lists as arrays, structures as objects, other languages as name-language. */
  xmp: {
    [name: string]: unknown;
  } | null;
  /** Texts of a PNG by keyword. */
  png_text: {
    [name: string]: unknown;
  } | null;
  comment: string | null;
  exif_bytes: number;
  iptc_bytes: number;
  xmp_bytes: number;
  icc_bytes: number;
}

export interface InspectionRecord {
  /** As in the list of formats. */
  format: string;
  content_type: string;
  bytes: number;
  /** As displayed. At least 1. */
  width: number;
  /** As displayed. At least 1. */
  height: number;
  /** As stored in the file. At least 1. */
  stored_width: number;
  /** As stored in the file. At least 1. */
  stored_height: number;
  /** How to turn it, as EXIF counts; 1 is upright. 1 to 8. */
  orientation: number;
  /** The page inspected. At least 1. */
  page: number;
  /** Pages, frames or planes of the file. At least 1. */
  pages: number;
  animated: boolean;
  /** Only animations. */
  frames: number | null;
  /** Only animations: time of one round. */
  animation_ms: number | null;
  /** Only animations: how often it plays; 0 is for ever. */
  loop: number | null;
  color: InspectedColor;
  /** Recorded resolution. */
  dpi: {
    x: number;
    y: number;
  } | null;
  encoding: InspectedEncoding;
  metadata: InspectedMetadata;
  camera: InspectedCamera | null;
  /** When the image was taken; with an offset from UTC if the file says so. */
  taken_at: string | null;
  gps: InspectedGps | null;
  /** A small version of the image inside the file. */
  thumbnail: {
    width: number | null;
    height: number | null;
    bytes: number;
    format: string;
  } | null;
  /** A second image that says how much brighter a display of high dynamic range may show each part. */
  gain_map: InspectedGainMap | null;
  fingerprints: {
    /** Of the file. */
    sha256: string;
    /** As X-IC-Fingerprint. */
    phash: string | null;
    /** Difference hash of 9 x 8 pixels, row by row. */
    dhash: string | null;
  };
  /** Of the visible pixels; null when there are none or the image cannot be decoded. */
  colors: {
    average: string;
    dominant: string;
    /** Most frequent first. */
    palette: string[];
  } | null;
  /** 4 x 3 components. */
  blurhash: string | null;
  provenance: {
    /** Content credentials are there. They are not verified. */
    c2pa: boolean;
  };
  /** What a publisher may want to remove. */
  privacy: ('gps' | 'serial_number' | 'owner_name' | 'thumbnail' | 'software' | 'face_regions')[];
  /** As in X-IC-Warnings. */
  warnings: string[];
  duration_ms: number;
}

export interface Job {
  id: string;
  status: 'queued' | 'running' | 'done' | 'failed' | 'cancelled';
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  /** When the first link to a result ends. */
  expires_at: string | null;
  progress: JobProgress;
  pipeline: {
    /** null for a pipeline that came with the request. */
    name: string | null;
    /** Of a saved pipeline; null for all others. */
    version: number | null;
    steps: {
      op: string;
      [name: string]: unknown;
    }[];
    /** Makes several results: every width in every format, as one ZIP or, with output=json, as stored results. */
    outputs: Outputs | null;
  };
  /** In the order of the inputs. */
  results: JobResult[];
  totals: {
    original_bytes: number;
    bytes: number;
    saved_bytes: number;
    saved_percent: number;
    /** Charged. */
    requests: number;
    /** Charged. */
    ai: number;
  };
  webhook: {
    /** Without its query. */
    url: string;
    status: 'pending' | 'delivered' | 'failed' | 'stopped';
    attempts: number;
    /** What the receiver answered last. */
    last_status: number | null;
    last_attempt_at: string | null;
    next_attempt_at: string | null;
  } | null;
  /** When the status is failed. */
  error: {
    code: string;
    message: string;
  } | null;
  test_mode: boolean;
}

export interface JobProgress {
  total: number;
  done: number;
  failed: number;
  cancelled: number;
  /** Of the images that have ended. 0 to 100. */
  percent: number;
}

export interface JobResult {
  /** Position of the input. */
  index: number;
  status: 'queued' | 'running' | 'done' | 'failed' | 'cancelled';
  /** The address, or the name of the uploaded file. */
  input: string;
  url: string | null;
  expires_at: string | null;
  filename: string | null;
  content_type: string | null;
  format: string | null;
  bytes: number | null;
  width: number | null;
  height: number | null;
  original_bytes: number | null;
  saved_bytes: number | null;
  outcome: string | null;
  /** As in X-IC-Warnings. */
  warnings: string[];
  duration_ms: number | null;
  sha256: string | null;
  steps: StepReport[];
  /** When the status is failed. */
  error: {
    code: string;
    message: string;
  } | null;
}

export interface Key {
  id: string;
  name: string;
  /** Test keys use no quota, and take small files and few requests a day. */
  mode: 'live' | 'test';
  /** Its first characters, for recognising it. */
  prefix: string;
  scopes: string[];
  /** Its own limit of requests and AI requests together; null is none. */
  monthly_limit: number | null;
  /** Requests and AI requests of the running month. */
  used: number;
  created_at: string;
  /** To the minute. */
  last_used_at: string | null;
  expires_at: string | null;
  revoked_at: string | null;
}

export interface ListAssetsAnswer {
  assets: SiteAsset[];
  /** Items that there are. */
  total: number;
  /** At least 1. */
  limit: number;
  offset: number;
}

export interface ListAssetsParams {
  /** Kinds, separated by commas: raster, animation, vector, icon, data_uri, unknown. */
  kind?: string | undefined;
  /** Statuses, separated by commas: found, fetching, ready, optimizing, optimized, skipped, failed. */
  status?: string | undefined;
  /**
   * any, none, or codes of findings, separated by commas: any, none, broken, not_image, corrupt, mixed_content,
   * gps_metadata, wrong_format, animated_gif, oversized, very_large, heavy, missing_srcset, missing_dimensions,
   * missing_lazy, lazy_first, missing_alt, duplicate, near_duplicate, upscaled, heavy_metadata, wrong_extension,
   * redirected, no_cache, uncompressed_svg, large_data_uri, cmyk, low_similarity, already_negotiated, third_party.
   */
  issue?: string | undefined;
  /** Number of a page that uses it. At least 1. */
  page?: number | undefined;
  /** Part of the address. */
  q?: string | undefined;
  /** Least bytes saved. */
  min_savings?: number | undefined;
  /** Has a line in the replacement map. */
  mapped?: boolean | undefined;
  /** Field to sort by; with - before it the largest first. Default: "-bytes_saved". */
  sort?: 'bytes_saved' | 'seq' | 'url' | 'bytes' | 'saved_percent' | 'references' | 'pages' | 'width' | 'status' | '-bytes_saved' | '-seq' | '-url' | '-bytes' | '-saved_percent' | '-references' | '-pages' | '-width' | '-status' | undefined;
  /** Most items of the answer. 1 to 500. Default: 50. */
  limit?: number | undefined;
  /** Items left out at the beginning. Default: 0. */
  offset?: number | undefined;
}

export interface ListDeliveredImagesAnswer {
  /** Images in the cache. */
  images: number;
  /** Their size. */
  bytes: number;
}

export interface ListFormatsAnswer {
  formats: Format[];
  /** Output formats of each operation; zip is a pack of files. */
  operations: {
    [name: string]: {
      output: string[];
      default: string;
    };
  };
  /** Languages whose text is read. */
  ocr_languages: {
    code: string;
    name: string;
  }[];
  /** Largest image that is read. */
  max_pixels: number;
}

export interface ListIdPhotoPresetsAnswer {
  /** By country, then by id. */
  presets: IdPhotoPreset[];
}

export interface ListJobsAnswer {
  jobs: Job[];
  /** Items that there are. */
  total: number;
  /** At least 1. */
  limit: number;
  offset: number;
}

export interface ListJobsParams {
  /** Most items of the answer. 1 to 500. Default: 500. */
  limit?: number | undefined;
  /** Items left out at the beginning. Default: 0. */
  offset?: number | undefined;
}

export interface ListKeysAnswer {
  keys: Key[];
}

export interface ListPagesAnswer {
  pages: SitePage[];
  /** Items that there are. */
  total: number;
  /** At least 1. */
  limit: number;
  offset: number;
}

export interface ListPagesParams {
  /** Statuses, separated by commas: found, queued, scanning, scanned, failed, skipped. */
  status?: string | undefined;
  /** Found beyond the limit. */
  over_limit?: boolean | undefined;
  /** Part of the address or the title. */
  q?: string | undefined;
  /** What needs a look. */
  attention?: 'any' | 'none' | 'failed' | 'broken_assets' | 'heavy' | 'needs_javascript' | 'privacy' | undefined;
  optimization?: 'none' | 'partial' | 'complete' | 'not_needed' | undefined;
  /** Least bytes saved. */
  min_savings?: number | undefined;
  /** Field to sort by; with - before it the largest first. Default: "seq". */
  sort?: 'seq' | 'url' | 'status' | 'image_bytes' | 'bytes_saved' | 'saved_percent' | 'assets' | '-seq' | '-url' | '-status' | '-image_bytes' | '-bytes_saved' | '-saved_percent' | '-assets' | undefined;
  /** Most items of the answer. 1 to 500. Default: 50. */
  limit?: number | undefined;
  /** Items left out at the beginning. Default: 0. */
  offset?: number | undefined;
}

export interface ListPipelinesAnswer {
  pipelines: SavedPipeline[];
  templates: Pipeline[];
}

export interface ListScansAnswer {
  projects: SiteProject[];
  /** Items that there are. */
  total: number;
  /** At least 1. */
  limit: number;
  offset: number;
}

export interface ListScansParams {
  /** Most items of the answer. 1 to 500. Default: 50. */
  limit?: number | undefined;
  /** Items left out at the beginning. Default: 0. */
  offset?: number | undefined;
}

export interface ListWebhookDeliveriesAnswer {
  deliveries: WebhookDelivery[];
}

export interface NewKey extends Key {
  /** The key itself, in this answer and never again. */
  key: string;
}

export interface OcrParams {
  /**
   * File name; only its extension is used, to identify formats with no signature of their own. Not needed where the
   * image comes with a name.
   */
  filename?: string | undefined;
  /**
   * Page, frame or plane of a multi-page file. Without it, a TIFF that stays a TIFF and a PDF that stays a PDF keep
   * all pages, and other results use the first. 1 to 100000. Default: 1.
   */
  page?: number | undefined;
  /**
   * Languages of the text, each once, separated by commas, in any order. A language that is not there costs time
   * and makes mistakes. Form: one or more of eng, slv, separated by commas without spaces. Default: "eng".
   */
  lang?: string | undefined;
  /** Also list every word with its confidence and its place. Default: false. */
  words?: boolean | undefined;
}

/**
 * At most 24 results: every width in every format. The steps run once, and each result is scaled from what they
 * give.
 */
export interface Outputs {
  /** In pixels. A width above that of the image gives the image at its own width, once. */
  widths: number[];
  /** Each width is written in each of them. */
  formats: ('jpeg' | 'png' | 'webp' | 'avif' | 'gif' | 'bmp' | 'jxl')[];
  /**
   * Encoder quality: one for all formats, or one for each format, as in {"avif": 50, "webp": 75}. Default: that of
   * the compress step, which has 75.
   */
  quality?: number | {
    [name: string]: number;
  } | undefined;
  /** How each result is encoded. Default: the mode of the compress step. */
  mode?: 'quality' | 'smart' | 'lossless' | undefined;
}

/**
 * Pixel steps run in the order written; the image is decoded once and encoded once. Encoding steps (convert,
 * compress, id_photo) come after them, and the first whose condition holds is used; with none the format is kept,
 * at quality 75. Beside outputs, compress says everything but the format.
 */
export interface Pipeline {
  /** Name of a saved pipeline or template; of no effect in a request. */
  name?: string | null | undefined;
  /** What it is for. */
  description?: string | null | undefined;
  /**
   * Pattern of the names of results. {name} is that of the source without extension; {ext}, {format}, {width},
   * {height}, {index} (of the image in a job, from 1) and {date} (YYYY-MM-DD) are those of the result. Any other
   * character outside A-Z, a-z, 0-9, ".", "_", "-" and space becomes "-". Default: {name}.{ext}; beside outputs
   * {name}-{width}.{ext}.
   */
  output_name?: string | null | undefined;
  /** At least one, unless there are outputs. */
  steps: Step[];
  /** Makes several results: every width in every format, as one ZIP or, with output=json, as stored results. */
  outputs?: Outputs | null | undefined;
}

export interface PipelineIdentity {
  /** null for a pipeline that came with the request. */
  name: string | null;
  /** Of a saved pipeline; null for all others. */
  version: number | null;
}

export interface PipelineParams {
  /** The pipeline as JSON text; in a JSON body also as an object. */
  pipeline?: string | undefined;
  /** Name of a saved pipeline or of a template, in place of `pipeline`. */
  preset?: string | undefined;
  /** Version of the saved pipeline; default the latest. 1 to 1000000. */
  version?: number | undefined;
  /** Report what would run, and predicted sizes, without processing. Default: false. */
  dry_run?: boolean | undefined;
  /** Name of the source file for `output_name`, in place of the one it comes with. */
  name?: string | undefined;
  /**
   * binary returns the result as the body. json stores it for one hour and returns an object with a link. Default:
   * "binary".
   */
  output?: 'binary' | 'json' | undefined;
}

export interface PipelinePlan {
  dry_run: true;
  pipeline: PipelineIdentity;
  source: {
    format: string;
    bytes: number;
    /** As displayed. At least 1. */
    width: number;
    /** At least 1. */
    height: number;
    /** At least 1. */
    frames: number;
    has_alpha: boolean;
    /** The metadata hold a position. */
    has_gps: boolean;
  };
  steps: ({
    /** From 1. At least 1. */
    index: number;
    op: StepOp;
    status: 'would_run' | 'would_skip';
    reason: SkipReason;
    /** After the step; null where it depends on what the image shows. */
    width: number | null;
    height: number | null;
    /** As they would be used, with the defaults. */
    params: {
      [name: string]: unknown;
    };
    /** Whether it would run a model. */
    model: boolean;
  })[];
  result: PlannedResult;
  /** With outputs: each of them; result is the ZIP, with the sums of their bytes. */
  outputs?: PlannedResult[] | undefined;
  /** What the run would be counted as; a test key uses none. */
  quota: {
    /** 0 to 1. */
    requests: number;
    /** 0 to 1. */
    ai: number;
  };
  /** Those that can be known beforehand. */
  warnings: string[];
}

export interface PlannedResult {
  format: string;
  width: number | null;
  height: number | null;
  /** null where output_name names a size that is not known. */
  filename: string | null;
  predicted_bytes: number;
  /** In 8 of 10 cases the size is between this and predicted_max_bytes. */
  predicted_min_bytes: number;
  predicted_max_bytes: number;
  /** exact: the source is kept. target: a target size decides. estimate: what such images come to. */
  basis: 'exact' | 'target' | 'estimate';
}

export interface PurgeDeliveredImagesAnswer {
  /** Images removed. */
  removed: number;
}

export interface PurgeDeliveredImagesParams {
  /** The images of one source: its address, or `store:NAME/PATH`. */
  source?: string | undefined;
  /** The images of all sources that begin with this text. */
  prefix?: string | undefined;
  /** The images whose address has this tag. Form: up to 64 letters, digits, - and _. */
  tag?: string | undefined;
  /** All images of the account. Default: false. */
  all?: boolean | undefined;
}

export interface ReadPipelineParams {
  /** Version of the saved pipeline; default the latest. 1 to 1000000. */
  version?: number | undefined;
}

export interface ReadyzAnswer {
  status: 'ready' | 'starting' | 'draining' | 'failed';
  checks: {
    database: 'ok' | 'failed';
    workers: 'ok' | 'failed';
    /**
     * `full`: the disk takes no writes; requests that store nothing work, the others get 507 `storage_full`.
     * `unreachable`: the same for files that are kept elsewhere, with 503 `overloaded`.
     */
    storage: 'ok' | 'full' | 'failed' | 'unreachable';
    codecs: 'ok' | 'failed';
  };
  models: {
    /** `failed`: it is installed, but its file is damaged or does not load. */
    background: 'ready' | 'missing' | 'failed';
    /** `failed`: it is installed, but its file is damaged or does not load. */
    upscale: 'ready' | 'missing' | 'failed';
    /** `failed`: it is installed, but its file is damaged or does not load. */
    faces: 'ready' | 'missing' | 'failed';
    /** `failed`: it is installed, but its file is damaged or does not load. */
    ocr: 'ready' | 'missing' | 'failed';
  };
}

export interface RecognisedWord {
  text: string;
  /** 0 to 100. */
  confidence: number;
  /** Of the left edge, in pixels of the image as displayed. */
  x: number;
  /** Of the upper edge. */
  y: number;
  /** At least 1. */
  width: number;
  /** At least 1. */
  height: number;
  /** Number of its line, from 1 in the order of reading. At least 1. */
  line: number;
}

export interface Recognition {
  /** Lines end in a line feed, paragraphs in two. Empty when there is no text. */
  text: string;
  /** Mean over the characters; 0 when there is no text. 0 to 100. */
  confidence: number;
  /** Those that were tried, as asked. */
  languages: string[];
  /** As displayed. At least 1. */
  width: number;
  /** As displayed. At least 1. */
  height: number;
  /** With `words=true`, in the order of reading. */
  words?: RecognisedWord[] | undefined;
  /** As in X-IC-Warnings. */
  warnings: string[];
  duration_ms: number;
}

export interface RemoveBackgroundParams {
  /**
   * File name; only its extension is used, to identify formats with no signature of their own. Not needed where the
   * image comes with a name.
   */
  filename?: string | undefined;
  /**
   * Page, frame or plane of a multi-page file. Without it, a TIFF that stays a TIFF and a PDF that stays a PDF keep
   * all pages, and other results use the first. 1 to 100000. Default: 1.
   */
  page?: number | undefined;
  /**
   * What stands behind the subject: nothing, a colour, a gradient, the original background, blurred, or the image
   * background_image. A background_image is used without it as well. Form: transparent, a colour as #rrggbb,
   * gradient, blur or image. Default: "transparent".
   */
  background?: string | undefined;
  /** Colour at the top, for background=gradient. Form: a colour as #rrggbb. Default: "#ffffff". */
  gradient_from?: string | undefined;
  /** Colour at the bottom, for background=gradient. Form: a colour as #rrggbb. Default: "#c8ccd4". */
  gradient_to?: string | undefined;
  /** How much background=blur blurs, relative to the size of the image. 1 to 100. Default: 40. */
  blur?: number | undefined;
  /** Softness of the edge, relative to the size of the image; 0 is crisp. 0 to 3. Default: 1. */
  feather?: number | undefined;
  /** Pull the mask onto the photo's own edges: for hair and fur. Default: false. */
  refine?: boolean | undefined;
  /**
   * Centre the subject on a canvas of this size, in pixels; it is enlarged where that is needed. Form: a size as
   * 800x600.
   */
  frame?: string | undefined;
  /** Share of the frame that the subject takes, in percent of the side it reaches first. 10 to 100. Default: 85. */
  subject_fill?: number | undefined;
  /** Output format; jpeg needs a background that is not transparent. Default: "png". */
  format?: 'png' | 'webp' | 'jpeg' | undefined;
  /**
   * Return the mask of the whole image instead of the result: a greyscale PNG of at most 1024 pixels on a side,
   * white is subject. Corrected, it can be sent as mask. Default: false.
   */
  mask?: boolean | undefined;
  /**
   * binary returns the result as the body. json stores it for one hour and returns an object with a link. Default:
   * "binary".
   */
  output?: 'binary' | 'json' | undefined;
  /**
   * Pre-signed upload address of the caller's storage; the result is PUT there instead of returned, and nothing is
   * stored.
   */
  deliver_to?: string | undefined;
}

export interface Replacement {
  /** Number of the asset. At least 1. */
  seq: number;
  /** Original address. */
  from: string;
  /** Its path and query. */
  from_path: string;
  /** How the sources spell it, at most 100 ways. */
  raw: string[];
  /** Path inside the package. */
  to: string;
  /** Proposed path on the site. */
  to_path: string;
  from_sha256: string;
  from_bytes: number;
  from_format: string;
  from_width: number | null;
  from_height: number | null;
  to_sha256: string;
  to_bytes: number;
  to_format: string;
  /** At least 1. */
  to_width: number;
  /** At least 1. */
  to_height: number;
  /** Negative where a larger result was approved. */
  saved_bytes: number;
  similarity: number | null;
  approval: 'auto' | 'approved';
  /** Copies of other widths (`variants_widths`). */
  srcset: ReplacementCopy[];
  /**
   * The same as large as the original, where `to` has the size of the places that the scan has seen; for all other
   * pages.
   */
  unresized: ReplacementCopy | null;
  /** The same as `to` in fewer bytes, as AVIF, with the setting `also_avif`: for a `source` before that of `to`. */
  avif: {
    /** Path inside the package. */
    to: string;
    /** Proposed path on the site. */
    to_path: string;
    sha256: string;
    bytes: number;
    /** At least 1. */
    width: number;
    /** At least 1. */
    height: number;
    /** Beside `unresized`. */
    unresized: ReplacementCopy | null;
  } | null;
  /** A `srcset` of all widths, for places that show the image larger or smaller. */
  srcset_markup: string | null;
  roles: string[];
  /** Addresses of pages that use it, at most 20. */
  pages: string[];
  pages_total: number;
}

export interface ReplacementCopy {
  /** Path inside the package. */
  to: string;
  /** Proposed path on the site. */
  to_path: string;
  sha256: string;
  bytes: number;
  /** At least 1. */
  width: number;
  /** At least 1. */
  height: number;
}

export interface SavePipelineBody {
  /**
   * Its name, in which capitals count. Form: at most 60 of A-Z, a-z, 0-9, space, ".", "_" and "-", a letter or
   * digit first,.
   */
  name: string;
  pipeline: Pipeline;
}

export interface SavedPipeline {
  name: string;
  /** This version. At least 1. */
  version: number;
  /** Versions that are kept. At least 1. */
  versions: number;
  description: string | null;
  /** At least one, unless there are outputs. */
  steps: Step[];
  output_name: string | null;
  /** Makes several results: every width in every format, as one ZIP or, with output=json, as stored results. */
  outputs: Outputs | null;
  /** Of the first version. */
  created_at: string;
  /** Of this version. */
  updated_at: string;
}

export interface SiteAsset {
  /** Number of the image. At least 1. */
  seq: number;
  /** Of a data URI: `data:`, its type and a hash. */
  url: string;
  final_url: string | null;
  kind: 'raster' | 'animation' | 'vector' | 'icon' | 'data_uri' | 'unknown';
  status: 'found' | 'fetching' | 'ready' | 'optimizing' | 'optimized' | 'skipped' | 'failed';
  skip_reason: 'no_gain' | 'vector' | 'third_party' | 'excluded' | 'already_negotiated' | 'already_webp' | 'rejected' | 'over_limit' | null;
  approval: 'auto' | 'approved' | 'rejected';
  /** Has a line in the replacement map. */
  mapped: boolean;
  /** By content. */
  format: string | null;
  /** By content. */
  content_type: string | null;
  bytes: number | null;
  width: number | null;
  height: number | null;
  frames: number | null;
  animated: boolean;
  has_alpha: boolean;
  /** Of another host. */
  external: boolean;
  sha256: string | null;
  fingerprint: string | null;
  http_status: number | null;
  cache_control: string | null;
  etag: string | null;
  last_modified: string | null;
  /** Kinds of places where it is named. */
  roles: string[];
  /** How many use it. */
  pages: number;
  /** How many places name it. */
  references: number;
  largest_displayed: {
    width: number | null;
    height: number | null;
    source: string;
  } | null;
  findings: SiteFinding[];
  /** Number of the image with the same content. */
  duplicate_of: number | null;
  /** The chosen result. */
  optimized: SiteOutput | null;
  /** Responsive widths. */
  variants: SiteOutput[];
  /** Other results to choose from. */
  candidates: SiteOutput[];
  bytes_saved: number;
  saved_percent: number;
  /** When the status is failed. */
  error: SiteError | null;
}

export interface SiteAssetDetail extends SiteAsset {
  /** The first 1000 pages that use it, each with how often. */
  page_list: {
    seq: number;
    url: string;
    references: number;
  }[];
  /** Its line of the replacement map. */
  replacement: Replacement | null;
}

export interface SiteError {
  code: string;
  message: string;
}

export interface SiteFinding {
  code: string;
  severity: 'error' | 'warning' | 'notice' | 'info';
  message: string;
  savings_bytes: number | null;
  /** Numbers of the first 100 references that it is about. */
  references: number[];
  /** Where the first 3 of them stand. */
  places: ({
    /** Number of the page; null: in a document that belongs to several. */
    page: number | null;
    /** Document that holds it. */
    url: string;
    line: number;
    column: number;
    markup: string;
  })[];
  data: {
    [name: string]: unknown;
  };
}

export interface SiteOptimizeRun {
  id: string;
  status: 'queued' | 'discovering' | 'scanning' | 'optimizing' | 'packaging' | 'done' | 'failed' | 'cancelled';
  url: string;
  quality: number;
  max_pages: number | null;
  progress: SiteScanProgress;
  warnings: ('robots_blocked' | 'needs_javascript' | 'not_rendered' | 'over_limit' | 'assets_truncated' | 'slow_site' | 'external_skipped' | 'sitemap_errors' | 'unknown_numbers')[];
  /** When it is done, for 24 hours. */
  report: SiteReport | null;
  /** As in the report. */
  zip_url: string | null;
  /** As in the report. */
  replacements: Replacement[] | null;
  /** When the status is failed. */
  error: SiteError | null;
  created_at: string;
  finished_at: string | null;
  expires_at: string | null;
}

export interface SiteOutput {
  id: string;
  filename: string;
  format: string;
  bytes: number;
  width: number;
  height: number;
  quality: number | null;
  similarity: number | null;
  sha256: string;
  url: string;
}

export interface SitePage {
  /** Number of the page, in the order of discovery. At least 1. */
  seq: number;
  url: string;
  /** Where redirects ended. */
  final_url: string | null;
  canonical_url: string | null;
  status: 'found' | 'queued' | 'scanning' | 'scanned' | 'failed' | 'skipped';
  skip_reason: 'robots' | 'duplicate' | 'not_html' | 'off_domain' | 'redirected' | 'excluded' | 'not_selected' | null;
  selected: boolean;
  /** Found beyond the limit, and not fetched. */
  over_limit: boolean;
  http_status: number | null;
  title: string | null;
  /** Links from the start. */
  depth: number;
  found_by: 'start' | 'sitemap' | 'link' | 'list';
  html_bytes: number | null;
  assets: number;
  references: number;
  image_requests: number;
  image_bytes: number;
  optimized_bytes: number;
  bytes_saved: number;
  saved_percent: number;
  /** What they take at 1.6 Mbit/s. */
  seconds_saved_slow_4g: number;
  heaviest_asset_seq: number | null;
  /** Code of a finding to the number of images of this page that have it. */
  issues: {
    [name: string]: number;
  };
  attention: ('failed' | 'broken_assets' | 'heavy' | 'needs_javascript' | 'privacy')[];
  optimization: 'none' | 'partial' | 'complete' | 'not_needed';
  /** When the status is failed. */
  error: SiteError | null;
  fetched_at: string | null;
}

export interface SitePageDetail extends SitePage {
  /** Every image that the page uses, with the first 5000 references of the page. */
  asset_list: ({
    seq: number;
    url: string;
    kind: 'raster' | 'animation' | 'vector' | 'icon' | 'data_uri' | 'unknown';
    status: 'found' | 'fetching' | 'ready' | 'optimizing' | 'optimized' | 'skipped' | 'failed';
    bytes: number | null;
    bytes_saved: number;
    /** Codes. */
    findings: string[];
    references: SiteReference[];
  })[];
}

export interface SiteProject {
  id: string;
  name: string | null;
  domain: string;
  created_at: string;
  /** Newest first, the last 20. */
  scans: SiteScanSummary[];
}

export interface SiteReference {
  /** null: in a document that belongs to several pages. */
  page_seq: number | null;
  page_url: string | null;
  /** Kind of place. */
  role: string;
  tag: string | null;
  attribute: string | null;
  /** Exactly as it stands in the source. */
  raw: string;
  descriptor: string | null;
  media: string | null;
  sizes: string | null;
  alt: string | null;
  loading: string | null;
  declared_width: number | null;
  declared_height: number | null;
  displayed_width: number | null;
  displayed_height: number | null;
  /** attribute, style, sizes, descriptor, rendered or unknown. */
  displayed_source: string;
  /** Where it is in a style sheet of its own. */
  stylesheet_url: string | null;
  /** Document that holds it. */
  source_url: string;
  line: number;
  column: number;
  in_noscript: boolean;
}

export interface SiteReport {
  zip_url: string | null;
  /** The first 1000. */
  replacements: Replacement[];
  replacements_total: number;
  totals: SiteScanTotals;
  pages: {
    url: string;
    image_bytes: number;
    bytes_saved: number;
  }[];
  issues: {
    [name: string]: number;
  };
  expires_at: string | null;
}

export interface SiteScan extends SiteScanSummary {
  settings: SiteScanSettingsOutput;
}

export interface SiteScanChanges {
  assets_new: number;
  assets_gone: number;
  assets_changed: number;
  bytes_delta: number;
  issues_new: number;
  issues_fixed: number;
}

/** All null until the package is built, and again when it has expired. */
export interface SiteScanDownloads {
  /** The package: map, rules and files. */
  zip_url: string | null;
  /** The replacement map. */
  mapping_json_url: string | null;
  /** The same as a table. */
  mapping_csv_url: string | null;
  /** A report for people. */
  report_html_url: string | null;
  /** One line for each image. */
  report_csv_url: string | null;
  rules: {
    /** Rewrite rules for nginx. */
    nginx_url: string | null;
    /** For .htaccess. */
    apache_url: string | null;
    /** For _redirects. */
    netlify_url: string | null;
  };
  bytes: number | null;
  /** Of the ZIP. */
  sha256: string | null;
  built_at: string | null;
  expires_at: string | null;
}

export interface SiteScanLimits {
  max_pages: number | null;
  pages_allowed: number;
  assets_allowed: number;
  /** Over the network. */
  bytes_allowed: number;
}

export interface SiteScanProgress {
  /** As the status. */
  phase: 'queued' | 'discovering' | 'review' | 'scanning' | 'ready' | 'optimizing' | 'packaging' | 'done' | 'failed' | 'cancelled';
  /** Of the phase: pages, then images. */
  done: number;
  total: number | null;
  /** 0 to 100. */
  percent: number;
  /** What is being worked on. */
  current_url: string | null;
  eta_seconds: number | null;
}

export interface SiteScanSettings {
  /** Format that images are converted to. Default: "webp". */
  format?: 'webp' | 'avif' | 'keep' | undefined;
  /** As in compress. Default: "quality". */
  mode?: 'quality' | 'smart' | 'lossless' | undefined;
  /** Of mode quality. 1 to 100. Default: 80. */
  quality?: number | undefined;
  /** Upper bound for every image, in pixels. Default: null. */
  max_width?: number | null | undefined;
  /**
   * Resize an image that is larger than twice its largest displayed size to twice that, where attributes or inline
   * styles give the size and no style sheet of the page can show it larger. Default: true.
   */
  fit_displayed?: boolean | undefined;
  /** Widths of responsive copies, in pixels. Default: []. */
  variants_widths?: number[] | undefined;
  /** A result that saves less does not count. 0 to 1000000000. Default: 4096. */
  min_savings_bytes?: number | undefined;
  /** The same, in percent. 0 to 100. Default: 10. */
  min_savings_percent?: number | undefined;
  /** As in compress. Default: "color". */
  metadata?: 'strip' | 'color' | 'no_gps' | 'keep' | undefined;
  /**
   * Beside each WebP file an AVIF one, where it is smaller and looks the same: for `picture` elements with both.
   * Default: false.
   */
  also_avif?: boolean | undefined;
  /** Compress WebP originals again. Default: false. */
  recompress_webp?: boolean | undefined;
  /** Minify SVG. Default: false. */
  optimize_svg?: boolean | undefined;
  /** Also replace images that crawlers and mail programs read, which may not know WebP. Default: false. */
  map_social?: boolean | undefined;
  /** Only pages whose path matches one: path globs such as /blog/**, or re: and a regular expression. Default: []. */
  include?: string[] | undefined;
  /** Not pages whose path matches one. Default: []. */
  exclude?: string[] | undefined;
  /** Not images whose path matches one. Default: []. */
  asset_exclude?: string[] | undefined;
  /** Pages of sub-domains belong to the site. Default: false. */
  include_subdomains?: boolean | undefined;
  /** Fetch images of other hosts. Default: true. */
  external_assets?: boolean | undefined;
  /** Further hosts that belong to the site. Default: []. */
  asset_hosts?: string[] | undefined;
  /** Links from the start. 0 to 20. Default: 10. */
  max_depth?: number | undefined;
  /** At most so many pages of one path pattern, such as /blog/*. Default: null. */
  sample_per_pattern?: number | null | undefined;
  /**
   * false only for a website that names the id of the account: in a line of its file
   * /.well-known/imagecrew-site.txt, or as the content of a meta tag imagecrew-site-verification in the head of its
   * home page. Other hosts that images come from are asked by their robots.txt all the same. Default: true.
   */
  respect_robots?: boolean | undefined;
  /** Connections to one host at a time. 1 to 6. Default: 2. */
  concurrency?: number | undefined;
  /** Between two requests to one host. 0 to 10000. Default: 200. */
  delay_ms?: number | undefined;
}

export interface SiteScanSettingsOutput {
  /** Format that images are converted to. Default: "webp". */
  format: 'webp' | 'avif' | 'keep';
  /** As in compress. Default: "quality". */
  mode: 'quality' | 'smart' | 'lossless';
  /** Of mode quality. 1 to 100. Default: 80. */
  quality: number;
  /** Upper bound for every image, in pixels. Default: null. */
  max_width: number | null;
  /**
   * Resize an image that is larger than twice its largest displayed size to twice that, where attributes or inline
   * styles give the size and no style sheet of the page can show it larger. Default: true.
   */
  fit_displayed: boolean;
  /** Widths of responsive copies, in pixels. Default: []. */
  variants_widths: number[];
  /** A result that saves less does not count. 0 to 1000000000. Default: 4096. */
  min_savings_bytes: number;
  /** The same, in percent. 0 to 100. Default: 10. */
  min_savings_percent: number;
  /** As in compress. Default: "color". */
  metadata: 'strip' | 'color' | 'no_gps' | 'keep';
  /**
   * Beside each WebP file an AVIF one, where it is smaller and looks the same: for `picture` elements with both.
   * Default: false.
   */
  also_avif: boolean;
  /** Compress WebP originals again. Default: false. */
  recompress_webp: boolean;
  /** Minify SVG. Default: false. */
  optimize_svg: boolean;
  /** Also replace images that crawlers and mail programs read, which may not know WebP. Default: false. */
  map_social: boolean;
  /** Only pages whose path matches one: path globs such as /blog/**, or re: and a regular expression. Default: []. */
  include: string[];
  /** Not pages whose path matches one. Default: []. */
  exclude: string[];
  /** Not images whose path matches one. Default: []. */
  asset_exclude: string[];
  /** Pages of sub-domains belong to the site. Default: false. */
  include_subdomains: boolean;
  /** Fetch images of other hosts. Default: true. */
  external_assets: boolean;
  /** Further hosts that belong to the site. Default: []. */
  asset_hosts: string[];
  /** Links from the start. 0 to 20. Default: 10. */
  max_depth: number;
  /** At most so many pages of one path pattern, such as /blog/*. Default: null. */
  sample_per_pattern: number | null;
  /**
   * false only for a website that names the id of the account: in a line of its file
   * /.well-known/imagecrew-site.txt, or as the content of a meta tag imagecrew-site-verification in the head of its
   * home page. Other hosts that images come from are asked by their robots.txt all the same. Default: true.
   */
  respect_robots: boolean;
  /** Connections to one host at a time. 1 to 6. Default: 2. */
  concurrency: number;
  /** Between two requests to one host. 0 to 10000. Default: 200. */
  delay_ms: number;
}

export interface SiteScanSummary {
  id: string;
  project_id: string | null;
  name: string | null;
  domain: string;
  source: 'url' | 'sitemap' | 'list';
  url: string | null;
  status: 'queued' | 'discovering' | 'review' | 'scanning' | 'ready' | 'optimizing' | 'packaging' | 'done' | 'failed' | 'cancelled';
  review: boolean;
  optimize: 'auto' | 'manual';
  package: 'site_1k' | 'site_3k' | 'site_10k' | 'site_50k' | null;
  limits: SiteScanLimits;
  progress: SiteScanProgress;
  totals: SiteScanTotals;
  downloads: SiteScanDownloads;
  warnings: ('robots_blocked' | 'needs_javascript' | 'not_rendered' | 'over_limit' | 'assets_truncated' | 'slow_site' | 'external_skipped' | 'sitemap_errors' | 'unknown_numbers')[];
  /** When the status is failed. */
  error: SiteError | null;
  /** The last scan of the project that was completed. */
  previous_scan_id: string | null;
  /** Against the previous scan. */
  changes: SiteScanChanges | null;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  /** From then on its files are gone. */
  expires_at: string | null;
}

export interface SiteScanTotals {
  pages_found: number;
  pages_selected: number;
  pages_scanned: number;
  pages_failed: number;
  pages_skipped: number;
  /** Found beyond the limit, and not fetched. */
  pages_over_limit: number;
  /** Places where an image is named. */
  references: number;
  /** Images, by address. */
  assets: number;
  /** Images, by content. */
  assets_unique: number;
  assets_optimized: number;
  /** With a line in the replacement map. */
  assets_mapped: number;
  assets_skipped: number;
  assets_failed: number;
  bytes_original: number;
  bytes_optimized: number;
  bytes_saved: number;
  saved_percent: number;
  /** Code of a finding to the number of images that have it. */
  issues: {
    [name: string]: number;
  };
  requests_charged: number;
  package_pages_charged: number;
}

export interface SiteTiers {
  tiers: {
    /** Name of the plan. */
    id: string;
    websites: number;
    /** Of one scan. */
    scan_pages: number;
    /** Of one run of POST /api/v1/sites/optimize. */
    optimize_pages: number;
    /** Images of one scan. */
    assets: number;
    /** At a time; further ones wait. */
    running_scans: number;
    /** How long files are kept. */
    keep_days: number;
  }[];
  packages: ({
    id: 'site_1k' | 'site_3k' | 'site_10k' | 'site_50k';
    pages: number;
  })[];
  /** Of the caller. */
  plan: string;
  websites: {
    /** Websites with a scan that draws on no package. */
    held: number;
    limit: number;
    domains: string[];
  };
  /** Packages of the account, oldest first. */
  credits: Credit[];
  /** What the next scan can take: of a package if one has pages left, otherwise of the plan. */
  scan_pages: number;
}

/** Why it is skipped: its condition does not hold, it would change nothing, or an earlier encoding step was used. */
export type SkipReason = 'condition' | 'no_change' | 'earlier_encoding_used' | null;

export interface StartSiteOptimizeAnswer {
  id: string;
  status: 'queued' | 'discovering' | 'scanning' | 'optimizing' | 'packaging' | 'done' | 'failed' | 'cancelled';
}

export interface StartSiteOptimizeBody {
  /** Address of the website; https where it has no scheme. */
  url: string;
  /** Of the WebP files. 1 to 100. Default: 80. */
  quality?: number | undefined;
  /** Most pages that are scanned. At least 1. */
  max_pages?: number | undefined;
}

/**
 * One operation with its parameters, done when its condition holds. Hyphens in op are taken for underscores.
 * Parameters have the names, bounds and defaults of the operation's own endpoint.
 */
export type Step = {
  op: 'orient';
  when?: Condition | undefined;
  params?: {} | undefined;
} | {
  op: 'trim';
  when?: Condition | undefined;
  params?: {
    /** How far samples of the border that is cut may be from its colour, in levels of 255. 0 to 100. Default: 10. */
    trim_threshold?: number | undefined;
  } | undefined;
} | {
  op: 'crop';
  when?: Condition | undefined;
  params?: {
    /**
     * x,y,width,height in pixels of the image as displayed; applied before flip and rotate. Form: x,y,width,height
     * in whole pixels.
     */
    crop?: string | undefined;
    /** Crop to this shape. Form: a ratio as 16:9. */
    crop_ratio?: string | undefined;
    /** Where a ratio crop is taken; attention places it on the subject. Default: "centre". */
    crop_gravity?: 'centre' | 'attention' | undefined;
    /**
     * What a cut to a ratio or by fit=cover keeps: faces (uses a model and counts as an AI request), or a place x,y
     * in fractions of the image that is cut. Form: faces, or x,y as fractions of width and height from 0 to 1.
     */
    focus?: string | undefined;
    /** circle clears everything outside the ellipse. Default: "rect". */
    crop_shape?: 'rect' | 'circle' | undefined;
  } | undefined;
} | {
  op: 'flip';
  when?: Condition | undefined;
  params?: {
    /** Mirror the image; applied after crop and before rotation. Default: "none". */
    flip?: 'none' | 'h' | 'v' | 'hv' | undefined;
  } | undefined;
} | {
  op: 'rotate';
  when?: Condition | undefined;
  params?: {
    /**
     * Degrees clockwise. A quarter turn is exact; other angles grow the image, with transparent corners (background
     * colour where the format has no transparency). -359 to 359. Default: 0.
     */
    rotate?: number | undefined;
    /** Form: a colour as #rrggbb. */
    background?: string | undefined;
  } | undefined;
} | {
  op: 'resize';
  when?: Condition | undefined;
  params?: {
    /** Target width in pixels. 1 to 100000. */
    width?: number | undefined;
    /** Target height in pixels. 1 to 100000. */
    height?: number | undefined;
    /** Scale, when neither width nor height is given. 1 to 1000. */
    percent?: number | undefined;
    /** inside keeps the ratio, exact stretches, cover fills and crops, contain pads. Default: "inside". */
    fit?: 'inside' | 'exact' | 'cover' | 'contain' | undefined;
    /**
     * What fit=cover keeps: faces (uses a model and counts as an AI request), or a place x,y in fractions of the
     * image. Form: faces, or x,y as fractions of width and height from 0 to 1.
     */
    focus?: string | undefined;
    /** Allow making the image larger. Default: false. */
    enlarge?: boolean | undefined;
    /** Print width in millimetres at dpi; not together with width, height or percent. 1 to 5000. */
    print_width?: number | undefined;
    /** Print height in millimetres at dpi; not together with width, height or percent. 1 to 5000. */
    print_height?: number | undefined;
    /**
     * Resolution recorded in the file, in dots per inch; print sizes use 300 when it is not given. Alone it only
     * records the resolution. 72 to 1200. Default: 300.
     */
    dpi?: number | undefined;
    /** Device pixel ratio: multiplies width, height, max_width and max_height. 0.1 to 8. Default: 1. */
    dpr?: number | undefined;
    /** Fit inside this width, never enlarge. 1 to 100000. */
    max_width?: number | undefined;
    /** Fit inside this height, never enlarge. 1 to 100000. */
    max_height?: number | undefined;
    /** Form: a colour as #rrggbb. */
    background?: string | undefined;
  } | undefined;
} | {
  op: 'pad';
  when?: Condition | undefined;
  params?: {
    /** 1 to 100000. */
    width: number;
    /** 1 to 100000. */
    height: number;
    /** Form: a colour as #rrggbb. */
    background?: string | undefined;
  } | undefined;
} | {
  op: 'adjust';
  when?: Condition | undefined;
  params?: {
    /** Brightness; 0 changes nothing. -100 to 100. Default: 0. */
    brightness?: number | undefined;
    /** Contrast; 0 changes nothing. -100 to 100. Default: 0. */
    contrast?: number | undefined;
    /** Saturation; -100 is grey. -100 to 100. Default: 0. */
    saturation?: number | undefined;
    /** Exposure; two stops at either end. -100 to 100. Default: 0. */
    exposure?: number | undefined;
    /** Remove colour. Default: false. */
    grayscale?: boolean | undefined;
    /** Gaussian blur, relative to the image size: 100 has a radius of 4 % of the longer side. 0 to 100. Default: 0. */
    blur?: number | undefined;
    /** Stretch levels and lift local contrast. Default: false. */
    enhance?: boolean | undefined;
    /** Sharpening; 33 is that of sharp.sharpen({ sigma: 1 }). 0 to 100. Default: 0. */
    sharpen?: number | undefined;
    /** Median filter; 20, 60 and 100 are windows of 3, 5 and 7 pixels. 0 to 100. Default: 0. */
    denoise?: number | undefined;
  } | undefined;
} | {
  op: 'border';
  when?: Condition | undefined;
  params?: {
    /** Border width in pixels on every side. 0 to 2000. Default: 0. */
    border?: number | undefined;
    /** Border colour, #rrggbb or transparent. Form: a colour as #rrggbb, or transparent. Default: "#ffffff". */
    border_color?: string | undefined;
  } | undefined;
} | {
  op: 'watermark';
  when?: Condition | undefined;
  params?: {
    /** Text to draw; up to 3 lines. */
    watermark_text?: string | undefined;
    /** Colour of the watermark text. Form: a colour as #rrggbb. Default: "#ffffff". */
    watermark_color?: string | undefined;
    /** Colour of the outline of the text. Form: a colour as #rrggbb. */
    watermark_outline?: string | undefined;
    /** Outline width in percent of the font size. 1 to 20. Default: 4. */
    watermark_outline_width?: number | undefined;
    /** Watermark opacity in percent. 1 to 100. Default: 50. */
    watermark_opacity?: number | undefined;
    /** Watermark width in percent of the image width. 5 to 100. Default: 30. */
    watermark_size?: number | undefined;
    /** Logo size in percent of its pixels, instead of watermark_size. 1 to 1000. */
    watermark_scale?: number | undefined;
    /** Top, centre or bottom, left, centre or right; tile repeats it. Default: "br". */
    watermark_position?: 'tl' | 'tc' | 'tr' | 'cl' | 'c' | 'cr' | 'bl' | 'bc' | 'br' | 'tile' | undefined;
    /** Offset inwards in percent of the image width. -100 to 100. Default: 0. */
    watermark_x?: number | undefined;
    /** Offset inwards in percent of the image height. -100 to 100. Default: 0. */
    watermark_y?: number | undefined;
    /** Degrees clockwise. -180 to 180. Default: 0. */
    watermark_rotate?: number | undefined;
    /** Draw the image watermark_image. Default: false. */
    logo?: boolean | undefined;
  } | undefined;
} | {
  op: 'remove_background';
  when?: Condition | undefined;
  params?: {
    /**
     * What stands behind the subject: nothing, a colour, a gradient or the original background, blurred. Form:
     * transparent, a colour as #rrggbb, gradient or blur. Default: "transparent".
     */
    background?: string | undefined;
    /** Colour at the top, for background=gradient. Form: a colour as #rrggbb. Default: "#ffffff". */
    gradient_from?: string | undefined;
    /** Colour at the bottom, for background=gradient. Form: a colour as #rrggbb. Default: "#c8ccd4". */
    gradient_to?: string | undefined;
    /** How much background=blur blurs, relative to the size of the image. 1 to 100. Default: 40. */
    blur?: number | undefined;
    /** Softness of the edge, relative to the size of the image; 0 is crisp. 0 to 3. Default: 1. */
    feather?: number | undefined;
    /** Pull the mask onto the photo's own edges: for hair and fur. Default: false. */
    refine?: boolean | undefined;
    /**
     * Centre the subject on a canvas of this size, in pixels; it is enlarged where that is needed. Form: a size as
     * 800x600.
     */
    frame?: string | undefined;
    /** Share of the frame that the subject takes, in percent of the side it reaches first. 10 to 100. Default: 85. */
    subject_fill?: number | undefined;
  } | undefined;
} | {
  op: 'upscale';
  when?: Condition | undefined;
  params?: {
    /** How many times as wide and high the result is. Default: "2". */
    scale?: '2' | undefined;
  } | undefined;
} | {
  op: 'blur_faces';
  when?: Condition | undefined;
  params?: {
    /** How the areas are covered. Default: "blur". */
    effect?: 'blur' | 'pixelate' | undefined;
    /**
     * Blur radius or size of the pixel blocks, relative to each face. From 60 on a face cannot be recovered: what
     * is left of it are the means of at most five by five blocks. Below it, the result warns `weak_cover` where a
     * covered face can still be detected. 1 to 100. Default: 60.
     */
    strength?: number | undefined;
    /**
     * Areas to cover, x,y,width,height in pixels of the image as displayed, separated by semicolons; parts outside
     * the image are cut off. No model runs and the request is an ordinary one. An empty value covers nothing; in a
     * pipeline it is refused. Without boxes every face that is found is covered. Form: at most 200 areas
     * x,y,width,height in whole pixels, separated by semicolons.
     */
    boxes?: string | undefined;
  } | undefined;
} | {
  op: 'id_photo';
  when?: Condition | undefined;
  params?: {
    /** A size from the list of presets; other parameters override it. */
    preset?: string | undefined;
    /** Width in millimetres, together with height_mm; dpi turns it into pixels. 5 to 300. */
    width_mm?: number | undefined;
    /** Height in millimetres, together with width_mm. 5 to 300. */
    height_mm?: number | undefined;
    /** Width in pixels, together with height; not together with millimetres. 16 to 6000. */
    width?: number | undefined;
    /** Height in pixels, together with width. 16 to 6000. */
    height?: number | undefined;
    /**
     * Turns millimetres, also those of a preset, into pixels; recorded in the file. Of a size in pixels it is only
     * recorded. 72 to 1200. Default: 300.
     */
    dpi?: number | undefined;
    /**
     * x,y,width,height in pixels of the image as displayed; the largest centred part of it that has the photo's
     * shape is used. Default: the whole image. Form: x,y,width,height in whole pixels.
     */
    crop?: string | undefined;
    /**
     * face finds the largest face, levels eyes that slope by 5 to 15 degrees, and chooses the area so that the head
     * has the height of the preset, or 70 to 80% of the photo (ICAO 9303), with the eyes at 50 to 60%. The crown is
     * estimated. Not together with crop; an AI request. none uses crop. Default: "none".
     */
    align?: 'none' | 'face' | undefined;
    /** Output format. Default: "jpeg". */
    format?: 'jpeg' | 'png' | undefined;
    /** Least size of the file, reached by padding; the image stays the same. 1000 to 50000000. */
    min_bytes?: number | undefined;
    /** Largest size of the file, reached by quality alone; the size in pixels stays the same. 1000 to 50000000. */
    max_bytes?: number | undefined;
    /**
     * Painted behind transparent pixels, and behind the person with remove_background. Form: a colour as #rrggbb.
     * Default: "#ffffff".
     */
    background?: string | undefined;
    /** Replace what is behind the person by the background; an AI request. Default: false. */
    remove_background?: boolean | undefined;
    /**
     * Return a 4 x 6 inch (10 x 15 cm) sheet of copies with 2 mm gaps; min_bytes and max_bytes apply to the sheet.
     * Default: false.
     */
    sheet?: boolean | undefined;
  } | undefined;
} | {
  op: 'gif';
  when?: Condition | undefined;
  params?: {
    /**
     * x,y,width,height in pixels of the animation as displayed; applied to every frame. Form: x,y,width,height in
     * whole pixels.
     */
    crop?: string | undefined;
    /** Resize to this width, keeping the shape; never enlarges. 1 to 10000. */
    width?: number | undefined;
    /** Seconds cut from the start. */
    trim_start?: number | undefined;
    /** Seconds from the start where the animation ends. */
    trim_end?: number | undefined;
    /** Percent; no frame is shown for less than 20 ms. 25 to 400. Default: 100. */
    speed?: number | undefined;
    /** Play the animation backwards. Default: false. */
    reverse?: boolean | undefined;
    /** Keep every Nth frame; dropped frames' time goes to the kept one. 1 to 4. Default: 1. */
    every?: number | undefined;
    /** Palette size for GIF output; transparency that is seen counts as a colour. 2 to 256. Default: 256. */
    colours?: number | undefined;
    /**
     * How often the animation is repeated after it has played once; 0 is for ever. Without it as in the upload. 0
     * to 65535.
     */
    loop?: number | undefined;
    /**
     * How far pixels of a GIF may differ to make it smaller, on the scale of gifsicle --lossy; 0 changes none. 0 to
     * 200. Default: 0.
     */
    lossy?: number | undefined;
    /**
     * Quality of WebP, AVIF and JPEG XL; WebP frames are lossy or lossless, whichever is smaller. 1 to 100.
     * Default: 75.
     */
    quality?: number | undefined;
    /** Keep every pixel in WebP, AVIF and JPEG XL. Default: false. */
    lossless?: boolean | undefined;
    /** Output format, animated; png keeps every pixel. Default: "gif". */
    format?: 'gif' | 'webp' | 'png' | 'avif' | 'jxl' | undefined;
  } | undefined;
} | {
  op: 'metadata';
  when?: Condition | undefined;
  params?: {
    /** no_gps keeps camera and date and drops the location; color keeps only the colour profile. Default: "strip". */
    metadata?: 'strip' | 'keep' | 'no_gps' | 'color' | undefined;
  } | undefined;
} | {
  op: 'convert';
  when?: Condition | undefined;
  params?: {
    /** Encoder quality; used by mode quality. 1 to 100. Default: 75. */
    quality?: number | undefined;
    /**
     * quality: encode at `quality`. smart: the smallest file that still looks like the original. lossless: every
     * pixel is kept (png, webp, avif, tiff, bmp, ico, jxl, tga, psd). target: the best quality within
     * `target_bytes`. Default: "quality".
     */
    mode?: 'quality' | 'smart' | 'lossless' | 'target' | undefined;
    format: 'auto' | 'jpeg' | 'png' | 'webp' | 'avif' | 'gif' | 'tiff' | 'bmp' | 'ico' | 'jxl' | 'pdf' | 'tga' | 'psd';
  } | undefined;
} | {
  op: 'compress';
  when?: Condition | undefined;
  params?: {
    /**
     * Output format; auto keeps the input format, also of an SVG where no other parameter asks for pixels. ico
     * holds the image at 16 to 256 pixels on a square; pdf holds a JPEG per page, and a PDF that needs no pixels
     * stays the document that it is, with smaller images; psd is flat, with one layer when there is transparency.
     * Default: "auto".
     */
    format?: 'auto' | 'jpeg' | 'png' | 'webp' | 'avif' | 'gif' | 'tiff' | 'bmp' | 'ico' | 'jxl' | 'pdf' | 'tga' | 'psd' | undefined;
    /**
     * quality: encode at `quality`. smart: the smallest file that still looks like the original. lossless: every
     * pixel is kept (png, webp, avif, tiff, bmp, ico, jxl, tga, psd). target: the best quality within
     * `target_bytes`. Default: "quality".
     */
    mode?: 'quality' | 'smart' | 'lossless' | 'target' | undefined;
    /** Encoder quality; used by mode quality. 1 to 100. Default: 75. */
    quality?: number | undefined;
    /** Compress to at most this many bytes; replaces quality. 1 to 1000000000. */
    target_bytes?: number | undefined;
    /**
     * Pad a JPEG or PNG result to at least this size without changing the image; other formats get the warning
     * min_size_unavailable. 1 to 1000000000.
     */
    min_bytes?: number | undefined;
    /**
     * Painted behind transparent pixels when the output has no transparency. Form: a colour as #rrggbb. Default:
     * "#ffffff".
     */
    background?: string | undefined;
    /**
     * Resolution recorded in the file, in dots per inch; print sizes use 300 when it is not given. Alone it only
     * records the resolution. 72 to 1200. Default: 300.
     */
    dpi?: number | undefined;
    /** Adds the closeness of the result to the source. Default: false. */
    score?: boolean | undefined;
    /** Adds the perceptual hash of the source. Default: false. */
    fingerprint?: boolean | undefined;
    /** no_gps keeps camera and date and drops the location; color keeps only the colour profile. */
    metadata?: 'strip' | 'keep' | 'no_gps' | 'color' | undefined;
  } | undefined;
};

export type StepOp = 'orient' | 'trim' | 'crop' | 'flip' | 'rotate' | 'resize' | 'pad' | 'adjust' | 'border' | 'watermark' | 'remove_background' | 'upscale' | 'blur_faces' | 'id_photo' | 'gif' | 'metadata' | 'convert' | 'compress';

export interface StepReport {
  /** From 1. At least 1. */
  index: number;
  op: StepOp;
  status: 'applied' | 'skipped';
  reason: SkipReason;
  /** Of the image after the step, in pixels. At least 1. */
  width: number;
  /** At least 1. */
  height: number;
  duration_ms: number;
}

export interface StoredFaviconPack {
  id: string;
  /** Where the result is for one hour, with the same key. */
  url: string;
  expires_at: string;
  /** Suggested name. */
  filename: string;
  /** Size of the result. */
  bytes: number;
  /** Names of the files in the ZIP. */
  files: string[];
  /** As in X-IC-Warnings. */
  warnings: string[];
  /** Processing time. */
  duration_ms: number;
  /** As in X-Quota-Meter. */
  quota_meter: 'requests' | 'ai' | 'requests, ai' | 'none';
  /** True for test keys. */
  test_mode: boolean;
}

export interface StoredOutput {
  id: string;
  /** Where the result is for one hour, with the same key. */
  url: string;
  expires_at: string;
  /** Suggested name. */
  filename: string;
  content_type: string;
  /** Format of the result. */
  format: string;
  /** Size of the result. */
  bytes: number;
  /** In pixels. At least 1. */
  width: number;
  /** In pixels. At least 1. */
  height: number;
  /** Resolution recorded in the file. */
  dpi: number | null;
  /** SHA-256 of the result in hexadecimal. */
  sha256: string;
  /** As in X-IC-Outcome. */
  outcome: string;
  /** As in X-IC-Warnings. */
  warnings: string[];
  /** As in X-IC-Similarity. */
  similarity?: number | undefined;
  /** The encodings that mode smart tried. */
  explain?: TriedEncoding[] | undefined;
}

export interface StoredOutputs {
  /** Narrow ones first; each width in the order of the formats. */
  outputs: StoredOutput[];
  /** The element that shows them on a page, with their filenames as addresses. */
  markup: string;
  /** Size of all results. */
  bytes: number;
  /** Size of the source. */
  original_bytes: number;
  original_format: string;
  /** As displayed. At least 1. */
  original_width: number;
  /** As displayed. At least 1. */
  original_height: number;
  /** As in X-IC-Warnings. */
  warnings: string[];
  /** Processing time. */
  duration_ms: number;
  /** As in X-Quota-Meter. */
  quota_meter: 'requests' | 'ai' | 'requests, ai' | 'none';
  /** True for test keys. */
  test_mode: boolean;
  /** As in X-IC-Fingerprint. */
  fingerprint?: string | undefined;
  pipeline: PipelineIdentity;
  steps: StepReport[];
}

export interface StoredResult extends StoredOutput {
  /** Size of the source. */
  original_bytes: number;
  original_format: string;
  /** As displayed. At least 1. */
  original_width: number;
  /** As displayed. At least 1. */
  original_height: number;
  /** original_bytes - bytes; may be negative. */
  saved_bytes: number;
  /** May be negative. */
  saved_percent: number;
  /** Processing time. */
  duration_ms: number;
  /** As in X-Quota-Meter. */
  quota_meter: 'requests' | 'ai' | 'requests, ai' | 'none';
  /** True for test keys. */
  test_mode: boolean;
  /** As in X-IC-Fingerprint. */
  fingerprint?: string | undefined;
  /** blur-faces: areas that were covered. */
  faces?: number | undefined;
  /** id-photo: with align=face, the height of the head, chin to estimated crown, in percent of the photo. */
  head_percent?: number | undefined;
  /** id-photo: with align=face, the height of the eyes above the lower edge, in percent of the photo. */
  eyes_percent?: number | undefined;
  /** id-photo: with align=face, the degrees clockwise by which the image was rotated to level the eyes. */
  rotated_degrees?: number | undefined;
  /** gif: frames of the result. */
  frames?: number | undefined;
  /** gif: length of the result in milliseconds; absent for a single frame. */
  animation_ms?: number | undefined;
  /** gif: frames of the upload. */
  source_frames?: number | undefined;
  /** gif: length of the upload in milliseconds; absent for a single frame. */
  source_animation_ms?: number | undefined;
  /** pipeline: what was run. */
  pipeline?: PipelineIdentity | undefined;
  /** pipeline: what became of each step. */
  steps?: StepReport[] | undefined;
}

export interface TestWebhookBody {
  /** Where the test is sent. */
  webhook_url: string;
}

export interface TriedEncoding {
  format: string;
  quality: number | null;
  bytes: number;
  similarity: number;
  chosen: boolean;
}

export interface UpdateKeyBody {
  /** What the key is for. */
  name?: string | undefined;
  /**
   * What the key may do beside ordinary image operations. ai: AI operations and model steps. sites: website scans.
   * admin: keys and webhook secret of the own account.
   */
  scopes?: ('ai' | 'sites' | 'admin')[] | undefined;
  monthly_limit?: number | null | undefined;
}

export interface UpdateScanBody {
  /**
   * select: tick or untick pages. start: scan the ticked pages. cancel: stop. retry: go on where it was stopped, or
   * try again what has failed. optimize: convert images. package: build the package again from the present
   * approvals.
   */
  action: 'select' | 'start' | 'cancel' | 'retry' | 'optimize' | 'package';
  /** select, start: pages whose path matches one. */
  include?: string[] | undefined;
  /** select, start: not pages whose path matches one. */
  exclude?: string[] | undefined;
  /** select, start: numbers of pages to tick or untick. optimize: the images of these pages. */
  pages?: number[] | undefined;
  /** optimize: numbers of images. */
  assets?: number[] | undefined;
  /** select, start: tick (true, the default) or untick the pages that are named. start with true ticks these alone. */
  selected?: boolean | undefined;
  settings?: SiteScanSettings | undefined;
}

export interface UpscaleParams {
  /**
   * File name; only its extension is used, to identify formats with no signature of their own. Not needed where the
   * image comes with a name.
   */
  filename?: string | undefined;
  /**
   * Page, frame or plane of a multi-page file. Without it, a TIFF that stays a TIFF and a PDF that stays a PDF keep
   * all pages, and other results use the first. 1 to 100000. Default: 1.
   */
  page?: number | undefined;
  /** How many times as wide and high the result is. Default: "2". */
  scale?: '2' | undefined;
  /**
   * Output format; auto keeps the format of the upload where it is one of these, and else takes png for images that
   * are transparent or have at most 256 colours and jpeg for the rest. Default: "auto".
   */
  format?: 'auto' | 'jpeg' | 'png' | 'webp' | 'avif' | 'gif' | 'tiff' | undefined;
  /**
   * binary returns the result as the body. json stores it for one hour and returns an object with a link. Default:
   * "binary".
   */
  output?: 'binary' | 'json' | undefined;
  /**
   * Pre-signed upload address of the caller's storage; the result is PUT there instead of returned, and nothing is
   * stored.
   */
  deliver_to?: string | undefined;
}

export interface Usage {
  account: {
    id: string;
    name: string;
    /** free, pro, or a plan of the operator. */
    plan: string;
  };
  /** The calendar month in UTC. */
  period: {
    /** First moment of the month. */
    start: string;
    /** First moment of the next month. */
    end: string;
  };
  /** Ordinary requests of the account. */
  requests: {
    /** This month. */
    used: number;
    limit: number | null;
    remaining: number | null;
  };
  /** AI requests of the account. */
  ai: {
    /** This month. */
    used: number;
    limit: number | null;
    remaining: number | null;
  };
  /** The key of this request; both allowances together. */
  key: {
    /** This month. */
    used: number;
    limit: number | null;
    remaining: number | null;
    id: string;
    name: string;
    mode: 'live' | 'test';
    scopes: string[];
  };
  /** Requests with the test keys of the account. */
  test: {
    used_today: number;
    limit_per_day: number;
    /** The next day in UTC. */
    resets_at: string;
  };
  rate: {
    per_minute: number | null;
    remaining: number | null;
    /** End of the running minute. */
    resets_at: string;
  };
  limits: {
    /** Largest file that this key may send. */
    file_bytes: number;
    /** Largest image that can be upscaled. */
    upscale_pixels: number;
    /** Pages of one run of the website optimizer. */
    optimize_pages: number;
    /** Pages of one website scan. */
    scan_pages: number;
    /** Websites that can be scanned. */
    websites: number;
    /** Images of a job that are sent as addresses. */
    job_images_json: number;
    /** Images of a job that are uploaded. */
    job_images_multipart: number;
    /** How long a stored result lives. */
    result_seconds: number;
  };
  features: ('pipelines' | 'jobs' | 'background_image' | 'watermark_image' | 'ai' | 'sites')[];
  by_operation: {
    operation: string;
    /** Credits used. */
    requests: number;
    /** AI credits used. */
    ai: number;
    bytes_in: number;
    bytes_out: number;
    /** Requests whose work was begun and not charged: it failed, or the client left. */
    failed: number;
  }[];
  notices: ({
    meter: 'requests' | 'ai';
    /** In percent of the limit. */
    threshold: 80 | 100;
    /** When the owner was told. */
    sent_at: string;
    channel: 'email' | 'log';
  })[];
}

export interface WebhookDelivery {
  /** The webhook-id, of all attempts the same. */
  id: string;
  /** At least 1. */
  attempt: number;
  at: string;
  /** What the receiver answered. */
  status: number | null;
  duration_ms: number;
  /** Why it was not delivered. */
  error: string | null;
}

export interface WebhookSecret {
  /** whsec_ and, in base64, the 32 bytes that webhooks are signed with. */
  secret: string;
  created_at: string;
  /** Until then webhooks are signed with the secret before this one too. */
  previous_valid_until: string | null;
}

export interface WebhookTest {
  /** Its webhook-id. */
  id: string;
  /** The receiver answered with a status of 2xx. */
  delivered: boolean;
  /** What it answered. */
  status: number | null;
  duration_ms: number;
  /** Why it was not delivered. */
  error: string | null;
}
