/** Writes a PDF of one page that shows a JPEG (ISO 32000-1). */
import { ByteWriter } from '../../byte-writer.ts';
import type { Density } from '../../samples.ts';

const POINTS_PER_INCH = 72;
/** Largest side of a page in default user space units (ISO 32000-1, annex C.2). UserUnit scales larger pages. */
const MAX_PAGE_SIDE = 14_400;

export interface PdfImage {
  /** Stored without change: grey or YCbCr, baseline or progressive. */
  jpeg: Uint8Array;
  /** Size of the JPEG in pixels. */
  width: number;
  height: number;
  /** Colour components of the JPEG. */
  components: 1 | 3;
  /** Decides the size of the page. Without it a pixel is one point. */
  density?: Density | undefined;
}

export function encodePdf({ jpeg, width, height, components, density }: PdfImage): Uint8Array<ArrayBuffer> {
  const pageWidth = (width * POINTS_PER_INCH) / (density?.x ?? POINTS_PER_INCH);
  const pageHeight = (height * POINTS_PER_INCH) / (density?.y ?? POINTS_PER_INCH);
  const userUnit = Math.max(1, Math.ceil(Math.max(pageWidth, pageHeight) / MAX_PAGE_SIDE));
  const w = decimal(pageWidth / userUnit);
  const h = decimal(pageHeight / userUnit);
  const scale = userUnit === 1 ? '' : ` /UserUnit ${userUnit}`;
  const colours = components === 1 ? 'DeviceGray' : 'DeviceRGB';
  const content = `q ${w} 0 0 ${h} 0 0 cm /Picture Do Q`;

  const pdf = new PdfFile(userUnit === 1 ? '1.4' : '1.6');
  pdf.addObject('<< /Type /Catalog /Pages 2 0 R >>');
  pdf.addObject('<< /Type /Pages /Kids [3 0 R] /Count 1 >>');
  pdf.addObject(
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${w} ${h}]${scale} /Contents 4 0 R /Resources << /XObject << /Picture 5 0 R >> >> >>`,
  );
  pdf.addObject(`<< /Length ${content.length} >>`, new TextEncoder().encode(content));
  pdf.addObject(
    `<< /Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /${colours} /BitsPerComponent 8 /Filter /DCTDecode /Length ${jpeg.length} >>`,
    jpeg,
  );
  pdf.addObject('<< /Producer (Imagecrew) >>');
  return pdf.finish({ root: 1, info: 6 });
}

/** Formats a number without an exponent, which PDF does not allow. */
const decimal = (value: number): string => String(Number(value.toFixed(4)));

/** Collects numbered objects and their offsets for the cross-reference table. */
class PdfFile {
  readonly #writer = new ByteWriter();
  readonly #offsets: number[] = [];

  constructor(version: string) {
    this.#writer.text(`%PDF-${version}\n`);
    // Four bytes above 127 in a comment mark the file as binary for transfer programs (ISO 32000-1, 7.5.2).
    this.#writer.text('%').u8(0xe2, 0xe3, 0xcf, 0xd3).text('\n');
  }

  addObject(dictionary: string, stream?: Uint8Array): void {
    this.#offsets.push(this.#writer.length);
    this.#writer.text(`${this.#offsets.length} 0 obj\n${dictionary}\n`);
    if (stream) this.#writer.text('stream\n').bytes(stream).text('\nendstream\n');
    this.#writer.text('endobj\n');
  }

  finish({ root, info }: { root: number; info: number }): Uint8Array<ArrayBuffer> {
    const tableAt = this.#writer.length;
    const size = this.#offsets.length + 1;
    // Each entry takes exactly 20 bytes.
    const entries = this.#offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
    return this.#writer
      .text(`xref\n0 ${size}\n0000000000 65535 f \n${entries}`)
      .text(`trailer\n<< /Size ${size} /Root ${root} 0 R /Info ${info} 0 R >>\nstartxref\n${tableAt}\n%%EOF\n`)
      .finish();
  }
}
